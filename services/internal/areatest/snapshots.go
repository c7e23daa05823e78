package areatest

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
)

var update = flag.Bool("update", false, "write testdata/tools anew from what the area lists")

// snapshots is where an area's golden files are, one per tool.
const snapshots = "testdata/tools"

// Snapshots compares every tool of an area, as /tools.json tells it, with
// testdata/tools/<tool>.json, so that whatever changes for a client is a line of
// a diff that somebody looks at. What no agent may on any host is pkg/catalog's own
// and has no snapshot here.
func Snapshots(t *testing.T, area host.Area) {
	t.Helper()
	want := described(t, area)
	if *update {
		write(t, want)
	}
	files, err := filepath.Glob(filepath.Join(snapshots, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if _, known := want[strings.TrimSuffix(filepath.Base(file), ".json")]; !known {
			t.Errorf("%s is of a tool that is no longer there; go test -update removes it", file)
		}
	}
	for name, tool := range want {
		file := filepath.Join(snapshots, name+".json")
		golden, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("%s has no snapshot; go test -update makes it: %v", name, err)
			continue
		}
		if diff := cmp.Diff(string(golden), string(tool)); diff != "" {
			t.Errorf("%s changed for clients. If that is meant, go test -update and commit %s:\n%s", name, file, diff)
		}
	}
}

// described gives every tool of the area as indented JSON, by name.
func described(t *testing.T, area host.Area) map[string][]byte {
	t.Helper()
	gate, err := host.Unwired(area, host.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	gate.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/tools.json", nil))
	var all struct {
		Tools []json.RawMessage `json:"tools"`
		Never []json.RawMessage `json:"never"`
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	everywhere := outside(t)
	tools := map[string][]byte{}
	for _, raw := range slices.Concat(all.Tools, all.Never) {
		var named struct {
			Name string `json:"name"`
		}
		var out bytes.Buffer
		if err := json.Unmarshal(raw, &named); err != nil {
			t.Fatal(err)
		}
		if everywhere[named.Name] {
			continue
		}
		if err := json.Indent(&out, raw, "", "  "); err != nil {
			t.Fatal(err)
		}
		out.WriteByte('\n')
		tools[named.Name] = out.Bytes()
	}
	return tools
}

// outside are the names of what no agent may, whatever the area.
func outside(t *testing.T) map[string]bool {
	t.Helper()
	all, err := catalog.Outside()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, tool := range all {
		names[tool.Name] = true
	}
	return names
}

func write(t *testing.T, tools map[string][]byte) {
	t.Helper()
	if err := os.RemoveAll(snapshots); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(snapshots, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, tool := range tools {
		if err := os.WriteFile(filepath.Join(snapshots, name+".json"), tool, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
