package lint_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/catalog/lint"
)

var hints = map[string]json.RawMessage{
	"readOnlyHint": json.RawMessage(`true`), "destructiveHint": json.RawMessage(`false`),
	"idempotentHint": json.RawMessage(`true`), "openWorldHint": json.RawMessage(`false`),
}

func tool(name, schema string) lint.Tool {
	return lint.Tool{Name: name, Title: "A", Description: "Does a.", InputSchema: json.RawMessage(schema), Annotations: hints}
}

const plain = `{"type":"object","properties":{}}`

func prop(schema string) lint.Tool {
	return tool("a", `{"type":"object","properties":{"a":`+schema+`}}`)
}

func nested(levels int) string {
	schema := `{"type":"string"}`
	for range levels {
		schema = `{"type":"object","properties":{"a":` + schema + `}}`
	}
	return schema
}

func many(n int) []lint.Tool {
	var tools []lint.Tool
	for i := range n {
		tools = append(tools, tool(fmt.Sprintf("a%d", i), plain))
	}
	return tools
}

// TestEveryRuleFindsItsFault has a case for every row of Rules, and says which
// one is missing.
func TestEveryRuleFindsItsFault(t *testing.T) {
	untitled, undescribed, long, mute := tool("a", plain), tool("a", plain), tool("a", plain), tool("a", plain)
	untitled.Title, undescribed.Description, long.Description, mute.Annotations = "", "", strings.Repeat("é", 1025), nil
	wide := `{"type":"object","properties":{`
	for i := range 101 {
		wide += fmt.Sprintf(`"p%d":{"type":"string"},`, i)
	}
	wide = strings.TrimSuffix(wide, ",") + `}}`
	tested := map[string]bool{}
	for _, c := range []struct {
		name, rule string
		tools      []lint.Tool
	}{
		{"two tools of one name", "name-unique", []lint.Tool{tool("a", plain), tool("a", plain)}},
		{"forty-one tools", "tool-count", many(41)},
		{"one tool more than a request takes", "tool-count-128", many(129)},
		{"a name with a dot", "name-form", []lint.Tool{tool("a.b", plain)}},
		{"a name that begins with a digit", "name-start", []lint.Tool{tool("1a", plain)}},
		{"a name too long behind its prefix", "name-prefixed", []lint.Tool{tool(strings.Repeat("a", 49), plain)}},
		{"a name too long beside its server", "name-combined", []lint.Tool{tool(strings.Repeat("a", 50), plain)}},
		{"no title", "title", []lint.Tool{untitled}},
		{"no hints", "hints", []lint.Tool{mute}},
		{"no description", "description", []lint.Tool{undescribed}},
		{"a description of 1025 characters", "description-length", []lint.Tool{long}},
		{"true for a schema", "no-boolean-schema", []lint.Tool{prop(`true`)}},
		{"null for a schema", "no-boolean-schema", []lint.Tool{prop(`null`)}},
		{"a root that is no object", "root-object", []lint.Tool{tool("a", `{"type":"array","items":{"type":"string"}}`)}},
		{"a choice at the root", "root-plain", []lint.Tool{tool("a", `{"type":"object","properties":{},"oneOf":[]}`)}},
		{"a reference", "no-reference", []lint.Tool{prop(`{"$ref":"#/x"}`)}},
		{"a reference inside a choice", "no-reference", []lint.Tool{prop(`{"anyOf":[{"$ref":"#/x"}]}`)}},
		{"nullable", "no-openapi", []lint.Tool{prop(`{"type":"string","nullable":true}`)}},
		{"two types", "one-type", []lint.Tool{prop(`{"type":["string","null"]}`)}},
		{"an invented type", "one-type", []lint.Tool{prop(`{"type":"file"}`)}},
		{"no type", "typed", []lint.Tool{prop(`{"description":"anything"}`)}},
		{"an array without items", "array-items", []lint.Tool{prop(`{"type":"array"}`)}},
		{"an array of anything", "array-items", []lint.Tool{prop(`{"type":"array","items":{}}`)}},
		{"an object without properties", "object-properties", []lint.Tool{prop(`{"type":"object"}`)}},
		{"an object without properties in a map", "object-properties", []lint.Tool{prop(`{"type":"object","properties":{},"additionalProperties":{"type":"object"}}`)}},
		{"a property name with brackets", "property-name", []lint.Tool{tool("a", `{"type":"object","properties":{"a[b]":{"type":"string"}}}`)}},
		{"a property name with a dollar, deep down", "property-name", []lint.Tool{prop(`{"type":"array","items":{"type":"object","properties":{"$top":{"type":"string"}}}}`)}},
		{"a requirement of nothing", "required-known", []lint.Tool{tool("a", `{"type":"object","properties":{},"required":["x"]}`)}},
		{"null for the list of what is required", "required-known", []lint.Tool{tool("a", `{"type":"object","properties":{},"required":null}`)}},
		{"an empty enum", "enum-full", []lint.Tool{prop(`{"type":"string","enum":[]}`)}},
		{"an enum with an empty text", "enum-full", []lint.Tool{prop(`{"type":"string","enum":["a",""]}`)}},
		{"an enum that says a value twice", "enum-full", []lint.Tool{prop(`{"type":"string","enum":["a","a"]}`)}},
		{"an enum of numbers", "enum-text", []lint.Tool{prop(`{"type":"integer","enum":[1,2]}`)}},
		{"an enum without a type", "enum-text", []lint.Tool{prop(`{"enum":["a"]}`)}},
		{"a format that few know", "format", []lint.Tool{prop(`{"type":"string","format":"ipv4"}`)}},
		{"a negation", "keyword", []lint.Tool{prop(`{"type":"string","not":{"type":"string"}}`)}},
		{"eleven levels", "depth", []lint.Tool{tool("a", nested(11))}},
		{"a hundred and one properties", "properties", []lint.Tool{tool("a", wide)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tested[c.rule] = true
			found := lint.Check(lint.List{Server: "harbour-mcp", Tools: c.tools})
			i := slices.IndexFunc(found, func(f lint.Finding) bool { return f.Rule == c.rule })
			if i < 0 {
				t.Fatalf("%s finds nothing: %v", c.rule, found)
			}
			if f := found[i]; f.Client == "" || f.Why == "" || !strings.Contains(f.Error(), f.Why) {
				t.Errorf("%v does not say who asks for it and why", f)
			}
		})
	}
	for _, rule := range lint.Rules {
		if !tested[rule.Name] {
			t.Errorf("nothing shows that %s finds a fault", rule.Name)
		}
	}
}

func TestAGoodToolPassesEveryRule(t *testing.T) {
	good := tool("list_ships", `{"type":"object","additionalProperties":false,"required":["kind"],"properties":{
		"kind":{"type":"string","enum":["tug","boat"]},"since":{"type":"string","format":"date-time"},
		"order":{"type":"array","items":{"type":"integer","minimum":1}},"more":{"anyOf":[{"type":"string"},{"type":"integer"}]},
		"labels":{"type":"object","properties":{},"additionalProperties":{"type":"string"}}}}`)
	good.OutputSchema = json.RawMessage(`{"type":"object","properties":{"any":{"description":"any value"}}}`)
	for _, f := range lint.Check(lint.List{Server: "harbour-mcp", Tools: []lint.Tool{good}}) {
		t.Error(f)
	}
}

func TestASchemaThatIsNoJSONIsAFinding(t *testing.T) {
	found := lint.Check(lint.List{Tools: []lint.Tool{tool("a", `{`)}})
	if len(lint.Errors(found)) == 0 || !strings.Contains(fmt.Sprint(found), "is no JSON") {
		t.Error(found)
	}
}

func TestWarningsAreNoErrors(t *testing.T) {
	found := lint.Check(lint.List{Tools: many(41)})
	if len(found) != 1 || len(lint.Errors(found)) != 0 || !strings.Contains(found[0].Message, "/mcp/lite") {
		t.Error(found)
	}
}
