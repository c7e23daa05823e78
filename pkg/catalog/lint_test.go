package catalog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

func TestLintChecksToolsAgainstEachOther(t *testing.T) {
	input := &catalog.Schema{Listed: json.RawMessage(`{"type":"object","properties":{}}`)}
	tools := []*catalog.Tool{
		{Name: "a", Title: "A", Description: "d", Effect: catalog.Read, Input: input},
		{Name: "a", Effect: catalog.Write, Input: input, Retrieve: "b", RootArg: "x", Find: &catalog.Find{List: "c"}, Operation: &catalog.Operation{Probe: "d"}},
		{Name: "no input!", Description: "d", Effect: "odd"},
	}
	got := fmt.Sprint(catalog.Lint(tools))
	for _, want := range []string{
		"there are two tools called a", "has no description", "has no title", "retrieve names the tool b", "find.list names the tool c",
		"operation.probe names the tool d", "does not list dry_run", "its root argument x is not listed", "the name must match", "has no input schema", `its effect "odd"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
}
