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

// TestWhatReachesAllOfAKind: such a call names nothing that a scope could judge.
func TestWhatReachesAllOfAKind(t *testing.T) {
	ships := catalog.Tool{Name: "purge_berths", Effect: catalog.Write, Every: []string{"ship"}}
	clone := catalog.Tool{Name: "clone_ship", Effect: catalog.Write, Root: "ship", RootArg: "ship_id", Every: []string{"ship"}}
	query := catalog.Tool{Name: "query_logs", Effect: catalog.Read, Every: []string{catalog.EveryKind}}
	certain := map[string]identity.Resources{"ship": {IDs: []string{"3"}}}
	for name, c := range map[string]struct {
		tool    catalog.Tool
		scope   map[string]identity.Resources
		outside bool
	}{
		"certain ones of its kind":              {ships, certain, true},
		"none of its kind":                      {ships, map[string]identity.Resources{"ship": {}}, true},
		"all of its kind":                       {ships, map[string]identity.Resources{"ship": {All: true}}, false},
		"certain ones of another kind":          {ships, map[string]identity.Resources{"zone": {IDs: []string{"3"}}}, false},
		"a link without restrictions":           {ships, nil, false},
		"a copy of what is approved":            {clone, certain, true},
		"a copy where all are approved":         {clone, map[string]identity.Resources{"ship": {All: true}}, false},
		"every kind, and one is restricted":     {query, map[string]identity.Resources{"zone": {All: true}, "ship": {IDs: []string{"3"}}}, true},
		"every kind, and all are approved":      {query, map[string]identity.Resources{"zone": {All: true}}, false},
		"every kind, without any restrictions":  {query, nil, false},
		"every kind, and none of one is to use": {query, map[string]identity.Resources{"zone": {}}, true},
	} {
		who := &identity.Principal{
			Link:  identity.Link{ID: "l", Scheme: identity.Bearer},
			Scope: identity.Scope{Areas: []string{"harbour"}, Resources: c.scope},
		}
		refused := guard.Allowed(&call.Call{Area: "harbour", Tool: &c.tool, Args: map[string]any{"ship_id": json.Number("3")}, Principal: who})
		if (refused != nil) != c.outside || refused != nil && refused.Reason() != problem.Alcance {
			t.Errorf("%s: %v", name, refused)
		}
		if guard.WithinReach(who, &c.tool) == c.outside {
			t.Errorf("%s: the tool is offered %t", name, !c.outside)
		}
	}
}

// TestAValueMayOpenEveryKind: a stream of what happens in the account shows all of it.
func TestAValueMayOpenEveryKind(t *testing.T) {
	tool := catalog.Tool{Name: "create_stream", Effect: catalog.Write, Refs: []catalog.Ref{
		{Path: "inputs[].source", Kind: catalog.EveryKind, Field: "source", Values: []string{"activity"}},
	}}
	from := func(sources ...any) map[string]any {
		var inputs []any
		for _, source := range sources {
			inputs = append(inputs, map[string]any{"source": source})
		}
		return map[string]any{"inputs": inputs}
	}
	for name, c := range map[string]struct {
		args    map[string]any
		scope   map[string]identity.Resources
		outside bool
	}{
		"another value":                       {from("http"), some("mine"), false},
		"that value":                          {from("activity"), some("mine"), true},
		"that value behind another":           {from("http", "activity"), some("mine"), true},
		"that value, and nothing restricted":  {from("activity"), nil, false},
		"that value, and all of it approved":  {from("activity"), map[string]identity.Resources{"bucket": {All: true}}, false},
		"no value at all":                     {from(), some("mine"), false},
		"the word where the value is no text": {from(map[string]any{"x": "activity"}), some("mine"), false},
	} {
		refused := guard.Allowed(&call.Call{Area: "harbour", Tool: &tool, Args: c.args, Principal: &identity.Principal{
			Link: identity.Link{ID: "l", Scheme: identity.Bearer}, Scope: identity.Scope{Areas: []string{"harbour"}, Resources: c.scope},
		}})
		if (refused != nil) != c.outside || refused != nil && refused.Reason() != problem.Alcance {
			t.Errorf("%s: %v", name, refused)
		}
	}
}
