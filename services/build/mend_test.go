package build_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/services/build/api"
)

// A list tells deep objects in a line; whoever gets one wrong must learn from the
// refusal alone what to send instead.
func TestAWrongDeepFieldIsNamedWithWhatIsAllowed(t *testing.T) {
	tools, err := catalog.Load(api.Documents, catalog.Options{Area: "build"})
	if err != nil {
		t.Fatal(err)
	}
	const criteria = `"criteria":[[{"conditional":"if","variable":"${uri}","operator":"starts_with","argument":"/img"}]]`
	for _, c := range []struct {
		name, tool, args string
		faults           map[string]string
	}{
		{"a rule that is right", "create_application_request_rule",
			`{"application_id":1,"name":"r",` + criteria + `,"behaviors":[{"type":"deny"},{"type":"set_cache_policy","attributes":{"value":7}}]}`, nil},
		{"a behavior that does not exist", "create_application_request_rule",
			`{"application_id":1,"name":"r",` + criteria + `,"behaviors":[{"type":"redirect_to_303","attributes":{"value":"/x"}}]}`,
			map[string]string{"behaviors[0].type": `must be one of "bypass_cache", "deliver", "deny", "enable_gzip", "finish_request_phase", "forward_cookies", ` +
				`"no_content", "optimize_images", "redirect_http_to_https", "add_request_cookie", "add_request_header", "filter_request_cookie", ` +
				`"filter_request_header", "redirect_to_301", "redirect_to_302", "rewrite_request", "run_function", "set_cache_policy", "set_connector", ` +
				`"set_origin", "capture_match_groups"; did you mean "redirect_to_301"?`}},
		{"a behavior without its value", "create_application_request_rule",
			`{"application_id":1,"name":"r",` + criteria + `,"behaviors":[{"type":"deny"},{"type":"run_function"}]}`,
			map[string]string{"behaviors[1].attributes": "is required, with the fields value"}},
		{"an operator that does not exist", "create_application_request_rule",
			`{"application_id":1,"name":"r","criteria":[[{"conditional":"if","variable":"${uri}","operator":"start_with","argument":"/"}]],"behaviors":[{"type":"deny"}]}`,
			map[string]string{"criteria[0][0].operator": `must be one of "is_equal", "is_not_equal", "starts_with", "does_not_start_with", "matches", ` +
				`"does_not_match", "exists", "does_not_exist", "is_in_list", "is_not_in_list"; did you mean "starts_with"?`}},
		{"criteria that are not in blocks", "create_application_request_rule",
			`{"application_id":1,"name":"r","criteria":[{"conditional":"if"}],"behaviors":[{"type":"deny"}]}`,
			map[string]string{"criteria[0]": "must be an array, not an object"}},
		{"a module that does not exist", "partial_update_application", `{"application_id":1,"modules":{"caches":{"enabled":true}}}`,
			map[string]string{"modules.caches": `unknown field; did you mean "cache"?`}},
		{"a module's flag that is none", "partial_update_application", `{"application_id":1,"modules":{"cache":{"enabled":"yes"}}}`,
			map[string]string{"modules.cache.enabled": `must be true or false, not the text "yes"`}},
		{"a connector without its addresses", "create_connector", `{"name":"c","type":"http","attributes":{}}`,
			map[string]string{"attributes.addresses": "is required"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var args map[string]any
			if err := json.Unmarshal([]byte(c.args), &args); err != nil {
				t.Fatal(err)
			}
			tool, _ := tools.Tool(c.tool)
			_, faults := tool.Check(args)
			var told map[string]string
			for _, f := range faults {
				if told == nil {
					told = map[string]string{}
				}
				told[f.Path] = f.Message
			}
			if diff := cmp.Diff(c.faults, told); diff != "" {
				t.Error(diff)
			}
		})
	}
}
