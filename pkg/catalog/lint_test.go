package catalog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

func TestLintNamesWhatClientsRefuse(t *testing.T) {
	for _, c := range []struct{ name, input, want string }{
		{"a choice at the root", `{"type":"object","properties":{},"oneOf":[]}`, "has oneOf at the root"},
		{"a reference", `{"type":"object","properties":{"a":{"$ref":"#/x"}}}`, "input.a: $ref is not understood"},
		{"two types", `{"type":"object","properties":{"a":{"type":["string","null"]}}}`, "input.a: type must be one word"},
		{"an array without items", `{"type":"object","properties":{"a":{"type":"array"}}}`, "input.a: an array must say"},
		{"an object without properties", `{"type":"object","properties":{"a":{"type":"object"}}}`, "input.a: an object must have properties"},
		{"the same inside items", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}}}`, "input.a.items: an object must have properties"},
		{"the same inside anyOf", `{"type":"object","properties":{"a":{"anyOf":[{"type":"array"}]}}}`, "input.a.anyOf[0]: an array must say"},
		{"null for a list", `{"type":"object","properties":{},"required":null}`, "required must be a list"},
		{"a requirement of nothing", `{"type":"object","properties":{},"required":["x"]}`, "requires x"},
		{"a property name with brackets", `{"type":"object","properties":{"a[b]":{"type":"string"}}}`, `the property name "a[b]"`},
		{"no object", `{"type":"array","items":{"type":"string"}}`, "is no object"},
		{"no JSON", `{`, "is no JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tool := &catalog.Tool{Name: "a", Title: "A", Description: "d", Effect: catalog.Read, Input: &catalog.Schema{Listed: json.RawMessage(c.input)}}
			if got := fmt.Sprint(catalog.Lint([]*catalog.Tool{tool})); !strings.Contains(got, c.want) {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestLintChecksToolsAgainstEachOther(t *testing.T) {
	input := &catalog.Schema{Listed: json.RawMessage(`{"type":"object","properties":{}}`)}
	tools := []*catalog.Tool{
		{Name: "a", Title: "A", Description: "d", Effect: catalog.Read, Input: input},
		{Name: "a", Effect: catalog.Write, Input: input, Retrieve: "b", RootArg: "x", Find: &catalog.Find{List: "c"}, Operation: &catalog.Operation{Probe: "d"}},
		{Name: "no input!", Description: "d", Effect: "odd"},
	}
	got := fmt.Sprint(catalog.Lint(tools))
	for _, want := range []string{
		"there are two tools of this name", "has no description", "has no title", "retrieve names the tool b", "find.list names the tool c",
		"operation.probe names the tool d", "does not list dry_run", "its root argument x is not listed", "the name must match", "has no input schema", `its effect "odd"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
}
