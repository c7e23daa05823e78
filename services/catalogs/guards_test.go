package catalogs_test

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/quota"
	"github.com/comporta-mcp/comporta/services/catalogs"
)

var update = flag.Bool("update", false, "write the expected files anew")

// all is every tool of every area's documents.
func all(t *testing.T, options catalog.Options) []*catalog.Tool {
	t.Helper()
	var tools []*catalog.Tool
	documents := catalogs.Documents()
	for _, area := range slices.Sorted(maps.Keys(documents)) {
		if names, _ := fs.Glob(documents[area], "*.yaml"); len(names) == 0 {
			continue // it has tools of its own only
		}
		options.Area = area
		loaded, err := catalog.Load(documents[area], options)
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, slices.Concat(loaded.Tools(), loaded.Never())...)
	}
	return tools
}

// roots are the kinds of resources that a link can be restricted to (contract §4).
var roots = []string{
	"application", "workload", "function", "connector", "firewall", "waf", "network_list",
	"zone", "certificate", "stream", "bucket", "database", "namespace",
}

// approvals are the tools that a person must agree to on OAuth links (contract §5).
var approvals = []string{
	"delete_application", "delete_bucket", "delete_certificate", "delete_database",
	"delete_dns_record", "delete_dns_zone", "delete_firewall", "delete_workload",
}

func deletes(t *catalog.Tool) bool { return t.Binding.Method == "DELETE" }

func deletesRoot(t *catalog.Tool) bool {
	return deletes(t) && t.Root != "" && t.RootArg != "" &&
		strings.HasSuffix(t.Binding.Path, "{"+t.RootArg+"}") && strings.Count(t.Binding.Path, "{") == 1
}

func named(t *catalog.Tool, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(strings.Split(t.Name, "_"), w) })
}

// TestTheTableOfSensitiveCalls is contract §5 by rules: what a tool must have
// follows from what it does.
func TestTheTableOfSensitiveCalls(t *testing.T) {
	var human []string
	for _, tool := range all(t, catalog.Options{}) {
		want := catalog.NoConfirm
		switch {
		case deletesRoot(tool):
			want = catalog.ConfirmName
		case deletes(tool), named(tool, "purge") && tool.Writes(), named(tool, "order", "ordering") && tool.Writes(), tool.Name == "execute_query":
			want = catalog.ConfirmTrue
		}
		if tool.Confirm != want {
			t.Errorf("%s is confirmed by %q, want %q", tool.Name, tool.Confirm, want)
		}
		if deletes(tool) && tool.Effect != catalog.Destructive {
			t.Errorf("%s has the effect %s", tool.Name, tool.Effect)
		}
		if tool.Approval == catalog.HumanApproval {
			human = append(human, tool.Name)
		}
		if tool.Root != "" && !slices.Contains(roots, tool.Root) {
			t.Errorf("%s names the root %s, which nobody can approve", tool.Name, tool.Root)
		}
	}
	slices.Sort(human)
	if diff := cmp.Diff(approvals, human); diff != "" {
		t.Errorf("tools that need a person's yes:\n%s", diff)
	}
}

// TestTheLimitsOfContract8 holds which tools have limits of their own.
func TestTheLimitsOfContract8(t *testing.T) {
	known := quota.Defaults()
	for _, tool := range all(t, catalog.Options{}) {
		var want []string
		switch path := tool.Binding.Path; {
		case strings.HasPrefix(path, "/workspace/dns/") && tool.Writes():
			want = []string{"dns"}
		case tool.Name == "execute_query":
			want = []string{"sql"}
		case tool.Name == "request_certificate", tool.Name == "create_certificate_signing_request":
			want = []string{"certificates"}
		}
		if diff := cmp.Diff(want, tool.Limits); diff != "" {
			t.Errorf("%s:\n%s", tool.Name, diff)
		}
		for _, name := range tool.Limits {
			if _, ok := known[name]; !ok {
				t.Errorf("%s names the limit %s, which there is not", tool.Name, name)
			}
		}
	}
}

// TestWhatMayAnswer202IsAnOperation reads the documents themselves.
func TestWhatMayAnswer202IsAnOperation(t *testing.T) {
	for area, documents := range catalogs.Documents() {
		if names, _ := fs.Glob(documents, "*.yaml"); len(names) == 0 {
			continue
		}
		loaded, err := catalog.Load(documents, catalog.Options{Area: area})
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range loaded.Documents() {
			for path, item := range document.Spec.Paths.Map() {
				for method, spec := range item.Operations() {
					tool, _ := loaded.Tool(spec.OperationID)
					accepted := method != "GET" && spec.Responses.Value("202") != nil
					if said, _ := spec.Extensions["x-mcp"].(map[string]any)["operation"].(bool); accepted && tool.Operation == nil && !said {
						t.Errorf("%s %s may answer 202, and %s is no operation", method, path, spec.OperationID)
					}
				}
			}
		}
	}
}

// TestEveryToolWasDecidedAbout holds what the documents say of each tool. A new
// one fails here until somebody has looked at its row: write the file anew with
// -update, and read the difference.
func TestEveryToolWasDecidedAbout(t *testing.T) {
	var rows strings.Builder
	for _, tool := range all(t, catalog.Options{}) {
		fmt.Fprintf(&rows, "%s %s %s", tool.Area, tool.Name, tool.Effect)
		for _, fact := range []struct {
			name string
			has  bool
			says string
		}{
			{"root", tool.Root != "", tool.Root + ":" + tool.RootArg},
			{"every", len(tool.Every) > 0, strings.Join(tool.Every, ",")},
			{"names", len(tool.Refs) > 0, namesOf(tool)},
			{"confirm", tool.Confirm != "", string(tool.Confirm)},
			{"approval", tool.Approval != "", string(tool.Approval)},
			{"operation", tool.Operation != nil, "yes"},
			{"limits", len(tool.Limits) > 0, strings.Join(tool.Limits, ",")},
			{"untrusted", len(tool.Untrusted) > 0, strings.Join(tool.Untrusted, ",")},
			{"secrets", len(tool.Secrets) > 0, strings.Join(tool.Secrets, ",")},
			{"shown_once", len(tool.ShownOnce) > 0, strings.Join(tool.ShownOnce, ",")},
			{"admin", tool.Admin, "yes"},
			{"never", tool.Never != "", tool.Never},
		} {
			if fact.has {
				fmt.Fprintf(&rows, " %s=%s", fact.name, fact.says)
			}
		}
		rows.WriteByte('\n')
	}
	expected(t, "testdata/guards.txt", rows.String())
}

// namesOf tells which kinds of other roots the arguments name.
func namesOf(tool *catalog.Tool) string {
	var kinds []string
	for _, ref := range tool.Refs {
		kinds = append(kinds, ref.Kind)
	}
	slices.Sort(kinds)
	return strings.Join(slices.Compact(kinds), ",")
}

// expected compares with a file, or writes it.
func expected(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s is not what the documents say (-update writes it anew):\n%s", file, diff)
	}
}
