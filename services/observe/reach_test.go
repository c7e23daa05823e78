package observe

import (
	"testing"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/services/observe/api"
)

// narrow is an administrator's link that may touch only some of a kind.
func narrow(kind string, ids ...string) *identity.Principal {
	return &identity.Principal{
		Link: identity.Link{ID: "mine", Scheme: identity.Bearer}, Person: identity.Person{ID: 7, SystemAdmin: true},
		Scope: identity.Scope{Areas: []string{"observe"}, Resources: map[string]identity.Resources{kind: {IDs: ids}}},
	}
}

func TestANarrowedLinkSeesNothingOfTheWholeAccount(t *testing.T) {
	tools, err := ownTools(Defaults(), host.Deps{})
	if err != nil {
		t.Fatal(err)
	}
	wide := map[string]bool{toolDescribe: true, "listar_mi_auditoria": true} // a schema, and the link's own calls
	for _, tool := range tools {
		args := map[string]any{"dataSource": "real-time-events", "graphql": "{ httpEvents { host } }"}
		refused := guard.Allowed(&call.Call{Area: "observe", Tool: tool.Tool, Args: args, Principal: narrow("workload", "3")})
		if (refused == nil) != wide[tool.Name] || refused != nil && refused.Reason() != problem.Alcance {
			t.Errorf("%s: %v", tool.Name, refused)
		}
		if p := guard.Allowed(&call.Call{Area: "observe", Tool: tool.Tool, Args: args, Principal: &identity.Principal{
			Person: identity.Person{SystemAdmin: true}, Scope: identity.Scope{Areas: []string{"observe"}},
		}}); p != nil {
			t.Errorf("%s is refused on a link without restrictions: %v", tool.Name, p)
		}
	}
}

func TestANarrowedLinkSeesItsOwnCallsOnly(t *testing.T) {
	for name, c := range map[string]struct {
		who     *identity.Principal
		asked   string
		link    string
		refused bool
	}{
		"a link without restrictions sees all of its person": {&identity.Principal{Link: identity.Link{ID: "mine"}}, "", "", false},
		"and any one of them":                                {&identity.Principal{Link: identity.Link{ID: "mine"}}, "other", "other", false},
		"a narrowed link sees its own":                       {narrow("workload", "3"), "", "mine", false},
		"a narrowed link may name itself":                    {narrow("workload", "3"), "mine", "mine", false},
		"a narrowed link may name no other link":             {narrow("workload", "3"), "other", "", true},
	} {
		in := auditFilter{Link: c.asked}
		p := ownLinkOnly(c.who, &in)
		if (p != nil) != c.refused || p != nil && p.Reason() != problem.Alcance {
			t.Errorf("%s: %v", name, p)
		}
		if p == nil && in.Link != c.link {
			t.Errorf("%s: the link %q is searched, want %q", name, in.Link, c.link)
		}
	}
}

// TestAStreamOfAllWorkloadsNeedsAllOfThem: without filter_workloads a stream sends
// every workload's events.
func TestAStreamOfAllWorkloadsNeedsAllOfThem(t *testing.T) {
	loaded, err := catalog.Load(api.Documents, catalog.Options{Area: "observe"})
	if err != nil {
		t.Fatal(err)
	}
	step := func(kind, key string, value any) any {
		return map[string]any{"type": kind, "attributes": map[string]any{key: value}}
	}
	from := func(source string) []any { return []any{step("raw_logs", "data_source", source)} }
	only := func(ids ...any) []any {
		return []any{step("sampling", "rate", 10), step("filter_workloads", "workloads", ids)}
	}
	for name, c := range map[string]struct {
		tool    string
		args    map[string]any
		outside bool
	}{
		"of the approved workload":                {"create_data_stream", map[string]any{"inputs": from("http"), "transform": only("3")}, false},
		"of another workload, too":                {"create_data_stream", map[string]any{"inputs": from("http"), "transform": only("3", "4")}, true},
		"without the step":                        {"create_data_stream", map[string]any{"inputs": from("http"), "transform": []any{step("sampling", "rate", 10)}}, true},
		"without any step":                        {"create_data_stream", map[string]any{"inputs": from("http"), "transform": []any{}}, true},
		"of what people did in the account":       {"create_data_stream", map[string]any{"inputs": from("activity"), "transform": only("3")}, true},
		"replaced by one without the step":        {"update_data_stream", map[string]any{"stream_id": "9", "inputs": from("http"), "transform": []any{}}, true},
		"changed in its name alone":               {"partial_update_data_stream", map[string]any{"stream_id": "9", "name": "new"}, false},
		"changed so that it has the step no more": {"partial_update_data_stream", map[string]any{"stream_id": "9", "transform": []any{}}, true},
		"changed to another source alone":         {"partial_update_data_stream", map[string]any{"stream_id": "9", "inputs": from("activity")}, true},
	} {
		tool, _ := loaded.Tool(c.tool)
		p := guard.Allowed(&call.Call{Area: "observe", Tool: tool, Args: c.args, Principal: narrow("workload", "3")})
		if (p != nil) != c.outside || p != nil && p.Reason() != problem.Alcance {
			t.Errorf("%s: %v", name, p)
		}
	}
}
