package catalog_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

type searchIn struct {
	Query  string            `json:"query" jsonschema:"what to look for"`
	Amount *int              `json:"docsAmount,omitempty"`
	Tags   []string          `json:"tags,omitempty"`
	Extra  map[string]string `json:"extra,omitempty"`
	Deep   *struct {
		Since string `json:"since"`
	} `json:"deep,omitempty"`
}

type searchOut struct {
	Results []struct {
		Title string   `json:"title"`
		Score *float64 `json:"score"`
	} `json:"results"`
}

func TestAHandWrittenToolFollowsTheSameRules(t *testing.T) {
	search, err := catalog.HandTool(catalog.Tool{
		Name: "search", Title: "Search", Description: "Searches.", Effect: catalog.Read,
	}, searchIn{}, searchOut{})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range catalog.Lint([]*catalog.Tool{search}) {
		t.Error(err)
	}
	clean, faults := search.Check(map[string]any{"query": "x", "docsAmount": "5", "tags": nil, "deep": map[string]any{"since": "now"}})
	want := map[string]any{"query": "x", "docsAmount": json.Number("5"), "deep": map[string]any{"since": "now"}}
	if diff := cmp.Diff(want, clean); diff != "" || len(faults) > 0 {
		t.Error(diff, faults)
	}
	_, faults = search.Check(map[string]any{"deep": map[string]any{}, "amount": 3})
	var got []string
	for _, f := range faults {
		got = append(got, f.Path)
	}
	if diff := cmp.Diff([]string{"deep.since", "query", "amount"}, got); diff != "" {
		t.Error(diff)
	}
	if faults := search.Output.Validate(searchOut{}); len(faults) > 0 {
		t.Error(faults)
	}
	if faults := search.Output.Validate(map[string]any{"results": "none"}); len(faults) != 1 {
		t.Error(faults)
	}
}

func TestAHandWrittenWriteGetsTheCommonArguments(t *testing.T) {
	meta := catalog.Tool{Name: "publish", Description: "Publishes.", Title: "Publish", Creates: true, Company: true,
		Operation: &catalog.Operation{}, Confirm: catalog.ConfirmTrue}
	publish, err := catalog.HandTool(meta, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if publish.Effect != catalog.Destructive {
		t.Error("a tool that says nothing must count as destructive")
	}
	for _, arg := range []string{"confirmado", "idempotency_key", "dry_run", "esperar_segundos", "empresa_id"} {
		if !strings.Contains(string(publish.Input.Listed), `"`+arg+`"`) {
			t.Errorf("%s is not listed", arg)
		}
	}
}

func TestAHandWrittenToolMayBringItsOwnSchema(t *testing.T) {
	search, err := catalog.HandTool(catalog.Tool{Name: "graphql", Effect: catalog.Read},
		json.RawMessage(`{"type":"object","required":["source"],"properties":{"source":{"enum":["metrics","events"]},"variables":{"type":"object"}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, faults := search.Check(map[string]any{"source": "metric", "variables": map[string]any{"any": 1}})
	if len(faults) != 1 || faults[0].Path != "source" || len(faults[0].Allowed) != 2 {
		t.Error(faults)
	}
}

func TestAWrongHandWrittenToolIsAnError(t *testing.T) {
	type clash struct {
		DryRun bool `json:"dry_run"`
	}
	for _, c := range []struct {
		name string
		tool string
		in   any
		want string
	}{
		{"a name with a dot", "a.b", nil, "the name must match"},
		{"arguments that are no object", "a", []string{}, "must be an object"},
		{"a common argument's name", "a", clash{}, "dry_run is the name of a common argument"},
		{"a type without a schema", "a", struct{ F func() }{}, "tool a: arguments"},
		{"broken JSON", "a", json.RawMessage(`{`), "tool a: arguments"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := catalog.HandTool(catalog.Tool{Name: c.tool}, c.in, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
