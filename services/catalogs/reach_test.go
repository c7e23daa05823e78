package catalogs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// ofNoKind are the resources that belong to the account and not to a kind that a
// person can narrow a link to, by the last word of their tools' names, and why it
// is right that a narrowed link changes them.
var ofNoKind = map[string]string{
	"page":       "what it shows may name connectors, which are judged by themselves",
	"template":   "the shape of a record; streams that render it are named by none",
	"list":       "of revoked certificates; the kind is called certificate, and it holds none",
	"dashboard":  "drawings without figures",
	"folder":     "drawings without figures",
	"row":        "drawings without figures",
	"report":     "drawings without figures",
	"credential": "the buckets that it opens are judged by themselves",
}

// TestEveryWriteIsHeldToAScope: what changes the platform names roots, or says that
// it reaches all of a kind, or changes what is of no kind.
func TestEveryWriteIsHeldToAScope(t *testing.T) {
	for area, tools := range everyTool(t) {
		for _, tool := range tools {
			last := tool.Name[strings.LastIndexByte(tool.Name, '_')+1:]
			if tool.Writes() && tool.Root == "" && len(tool.Every) == 0 && ofNoKind[last] == "" {
				t.Errorf("%s: %s is held to no scope: declare x-mcp root or every, or say in ofNoKind why it needs none", area, tool.Name)
			}
			for _, kind := range tool.Every {
				if kind != catalog.EveryKind && !slices.Contains(roots, kind) {
					t.Errorf("%s: %s reaches every %q, which nobody can approve", area, tool.Name, kind)
				}
			}
		}
	}
}

// TestWhatReachesAllOfAKind holds the calls that a narrowed link cannot make.
func TestWhatReachesAllOfAKind(t *testing.T) {
	want := map[string]string{
		"create_purge_request": "application workload", "delete_credential": "bucket",
		"clone_application": "application", "clone_firewall": "firewall", "clone_waf": "waf",
	}
	got := map[string]string{}
	for _, tools := range everyTool(t) {
		for _, tool := range tools {
			if kinds := slices.Sorted(slices.Values(tool.Every)); len(kinds) > 0 {
				got[tool.Name] = strings.Join(kinds, " ")
			}
		}
	}
	for name := range got {
		if want[name] != got[name] {
			t.Errorf("%s reaches every %q, want %q", name, got[name], want[name])
		}
	}
	for name := range want {
		if got[name] == "" {
			t.Errorf("%s reaches every %s and does not say so", name, want[name])
		}
	}
}

// TestWhatIsANumberOrATextMayBeAnID: where a value's meaning hangs on another field,
// as a rule's does on its operator, its name tells nothing.
func TestWhatIsANumberOrATextMayBeAnID(t *testing.T) {
	seen := 0
	for area, tools := range everyTool(t) {
		for _, tool := range tools {
			if !tool.Writes() {
				continue
			}
			for path, kinds := range fields(t, tool.Input.Full) {
				if !strings.Contains(kinds, "integer") || !strings.Contains(kinds, "string") {
					continue
				}
				declared := slices.ContainsFunc(tool.Refs, func(r catalog.Ref) bool { return r.Path == path })
				if seen++; !declared {
					t.Errorf("%s: %s takes at %s a number or a text: declare x-mcp: {root: …} for the values that are ids", area, tool.Name, path)
				}
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d such arguments were found: this shows nothing", seen)
	}
}

// TestListOperatorsNameNetworkLists wherever a rule has them.
func TestListOperatorsNameNetworkLists(t *testing.T) {
	seen := 0
	for area, tools := range everyTool(t) {
		for _, tool := range tools {
			if !tool.Writes() || !strings.Contains(string(tool.Input.Full), `"is_in_list"`) {
				continue
			}
			seen++
			if !slices.ContainsFunc(tool.Refs, func(r catalog.Ref) bool {
				return r.Kind == "network_list" && slices.Contains(r.Values, "is_in_list") && slices.Contains(r.Values, "is_not_in_list")
			}) {
				t.Errorf("%s: %s compares with network lists that no scope judges", area, tool.Name)
			}
		}
	}
	if seen < 9 {
		t.Errorf("only %d tools have list operators: this shows nothing", seen)
	}
}
