package guard_test

import (
	"encoding/json"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// TestOtherRootsThatTheArgumentsNameAreInTheScopeToo: a link that may touch only
// some functions cannot reach the others through an application.
func TestOtherRootsThatTheArgumentsNameAreInTheScopeToo(t *testing.T) {
	tool := catalog.Tool{Name: "create_rule", Effect: catalog.Write, Refs: []catalog.Ref{
		{Path: "function", Kind: "function"},
		{Path: "filters[].ids[]", Kind: "workload"},
		{Path: "behaviors[].attributes.value", Kind: "connector", Field: "type", Values: []string{"set_connector"}},
	}}
	behaviour := func(kind string, value any) any {
		return []any{map[string]any{"type": kind, "attributes": map[string]any{"value": value}}}
	}
	n := func(text string) json.Number { return json.Number(text) }
	for name, c := range map[string]struct {
		args    map[string]any
		outside bool
	}{
		"nothing is named":                     {map[string]any{"name": "x"}, false},
		"null names nothing":                   {map[string]any{"function": nil}, false},
		"an approved function":                 {map[string]any{"function": n("7")}, false},
		"another function":                     {map[string]any{"function": n("8")}, true},
		"an approved connector":                {map[string]any{"behaviors": behaviour("set_connector", n("3"))}, false},
		"another connector":                    {map[string]any{"behaviors": behaviour("set_connector", n("4"))}, true},
		"another connector as a text":          {map[string]any{"behaviors": behaviour("set_connector", "4")}, true},
		"a value that is no connector's id":    {map[string]any{"behaviors": behaviour("add_header", "4")}, false},
		"a list of approved and others":        {map[string]any{"filters": []any{map[string]any{"ids": []any{n("1"), n("2")}}}}, true},
		"a kind that is not restricted at all": {map[string]any{"filters": []any{}}, false},
		"what is no id where one belongs":      {map[string]any{"function": map[string]any{"id": n("7")}}, true},
	} {
		made := &call.Call{Area: "harbour", Tool: &tool, Args: c.args, Principal: &identity.Principal{
			Link: identity.Link{ID: "l", Scheme: identity.Bearer},
			Scope: identity.Scope{Areas: []string{"harbour"}, Resources: map[string]identity.Resources{
				"function": {IDs: []string{"7"}}, "connector": {IDs: []string{"3"}}, "workload": {IDs: []string{"1"}},
			}},
		}}
		refused := guard.Allowed(made)
		if (refused != nil) != c.outside || refused != nil && refused.Reason() != problem.Alcance {
			t.Errorf("%s: %v", name, refused)
		}
	}
}

// TestNamingNoneMayMeanAll: keys for no bucket open every bucket.
func TestNamingNoneMayMeanAll(t *testing.T) {
	tool := catalog.Tool{Name: "create_keys", Effect: catalog.Write, Refs: []catalog.Ref{{Path: "buckets[]", Kind: "bucket", All: true}}}
	for name, c := range map[string]struct {
		args    map[string]any
		scope   map[string]identity.Resources
		outside bool
	}{
		"an approved bucket":                      {map[string]any{"buckets": []any{"mine"}}, some("mine"), false},
		"an approved bucket and another":          {map[string]any{"buckets": []any{"mine", "other"}}, some("mine"), true},
		"no list, on a link of some":              {map[string]any{}, some("mine"), true},
		"an empty list, on a link of some":        {map[string]any{"buckets": []any{}}, some("mine"), true},
		"null, on a link of some":                 {map[string]any{"buckets": nil}, some("mine"), true},
		"a list of null, on a link of some":       {map[string]any{"buckets": []any{nil}}, some("mine"), true},
		"no list, on a link of none":              {map[string]any{}, some(), true},
		"no list, on a link of all":               {map[string]any{}, map[string]identity.Resources{"bucket": {All: true}}, false},
		"no list, on a link without restrictions": {map[string]any{}, nil, false},
	} {
		refused := guard.Allowed(&call.Call{Area: "harbour", Tool: &tool, Args: c.args, Principal: &identity.Principal{
			Link: identity.Link{ID: "l", Scheme: identity.Bearer}, Scope: identity.Scope{Areas: []string{"harbour"}, Resources: c.scope},
		}})
		if (refused != nil) != c.outside || refused != nil && refused.Reason() != problem.Alcance {
			t.Errorf("%s: %v", name, refused)
		}
	}
}

func some(ids ...string) map[string]identity.Resources {
	return map[string]identity.Resources{"bucket": {IDs: ids}}
}
