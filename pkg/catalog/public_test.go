package catalog_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// publicDocument is the platform's own document, where the machine has it.
func publicDocument(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "openapi", "azion-v4.yaml"))
	if err != nil {
		t.Skip("the platform's public OpenAPI document is not beside the repository; its test needs it: ", err)
	}
	return data
}

// overlaid gives every operation the smallest x-mcp: the effect of its method.
func overlaid(t testing.TB, data []byte) (document []byte, operations int) {
	t.Helper()
	var doc map[string]any
	if err := yaml.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	effects := map[string]string{"get": "read", "delete": "destructive"}
	for _, item := range doc["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			operation, ok := op.(map[string]any)
			if !ok || operation["responses"] == nil {
				continue
			}
			effect := effects[method]
			if effect == "" {
				effect = "write"
			}
			operation["x-mcp"] = map[string]any{"effect": effect}
			operations++
		}
	}
	out, err := yaml.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return out, operations
}

func TestThePublicDocumentLoadsWhole(t *testing.T) {
	document, operations := overlaid(t, publicDocument(t))
	c, err := catalog.Load(fstest.MapFS{"platform.yaml": {Data: document}}, catalog.Options{Area: "all"})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Tools()) != operations || operations < 150 {
		t.Fatalf("%d operations became %d tools", operations, len(c.Tools()))
	}
	for _, err := range catalog.Lint(c.Tools()) {
		t.Error(err)
	}
	places := map[string]string{}
	for _, tool := range c.Tools() {
		place := tool.Binding.Method + " " + tool.Binding.Path
		if other, taken := places[place]; taken {
			t.Errorf("%s and %s are both %s", other, tool.Name, place)
		}
		places[place] = tool.Name
		schemasOf(t, tool)
	}
}

// schemasOf checks both forms of a tool's schemas with a strict validator.
func schemasOf(t *testing.T, tool *catalog.Tool) {
	t.Helper()
	const most = 8 << 10 // bytes of one listed schema
	schemas := map[string]json.RawMessage{"input": tool.Input.Listed}
	if tool.Output != nil {
		schemas["output"] = tool.Output.Listed
	}
	for which, listed := range schemas {
		for _, word := range []string{`"$ref"`, `"$defs"`, `"type":[`, `"nullable"`} {
			if strings.Contains(string(listed), word) {
				t.Errorf("%s: the listed %s has %s", tool.Name, which, word)
			}
		}
		if len(listed) > most {
			t.Errorf("%s: the listed %s has %d bytes", tool.Name, which, len(listed))
		}
		compile(t, listed)
	}
	// The complete schema and the check agree on a call without arguments.
	_, faults := tool.Check(nil)
	if err := compile(t, tool.Input.Full).Validate(map[string]any{}); (err == nil) != (len(faults) == 0) {
		t.Errorf("%s: the check says %v, the complete schema %v", tool.Name, faults, err)
	}
}

func compile(t testing.TB, raw json.RawMessage) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", schema); err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	out, err := c.Compile("schema.json")
	if err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	return out
}

func TestTwoLoadsGiveTheSameBytes(t *testing.T) {
	all := func() string {
		var out strings.Builder
		for _, tool := range museum(t, catalog.Options{}).Tools() {
			fmt.Fprintf(&out, "%s %s %s\n", tool.Name, tool.Input.Listed, tool.Input.Full)
			if tool.Output != nil {
				fmt.Fprintf(&out, "%s\n", tool.Output.Full)
			}
		}
		return out.String()
	}
	first := all()
	for range 10 {
		if again := all(); again != first {
			t.Fatalf("%s\n%s", first, again)
		}
	}
}

func TestTheDeepFaultsOfThePublicDocumentAreNamed(t *testing.T) {
	document, _ := overlaid(t, publicDocument(t))
	c, err := catalog.Load(fstest.MapFS{"platform.yaml": {Data: document}}, catalog.Options{Area: "all"})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []struct{ name, tool, args, path, message string }{
		{"a behaviour nobody knows", "create_application_request_rule",
			`{"application_id":1,"name":"r","criteria":[[{"variable":"$(uri)","operator":"exists","conditional":"if","argument":null}]],"behaviors":[{"type":"denny"}]}`,
			"behaviors[0].type", `did you mean "deny"?`},
		{"an attribute of another behaviour", "create_application_request_rule",
			`{"application_id":1,"name":"r","criteria":[[{"variable":"$(uri)","operator":"exists","conditional":"if"}]],"behaviors":[{"type":"deny","attributes":{"value":1}}]}`,
			"behaviors[0].attributes", "unknown field"},
		{"an operator nobody knows", "create_application_request_rule",
			`{"application_id":1,"name":"r","criteria":[[{"variable":"$(uri)","operator":"matched","conditional":"if"}]],"behaviors":[{"type":"deny"}]}`,
			"criteria[0][0].operator", `did you mean "matches"?`},
		{"a field that an endpoint needs", "create_data_stream",
			`{"name":"s","inputs":[{"type":"raw_logs","attributes":{"data_source":"http"}}],"transform":[],"outputs":[{"type":"kafka","attributes":{"type":"kafka","bootstrap_servers":"b","use_tls":"true"}}]}`,
			"outputs[0].attributes.kafka_topic", "is required"},
	} {
		t.Run(k.name, func(t *testing.T) {
			dec := json.NewDecoder(strings.NewReader(k.args))
			dec.UseNumber()
			var args map[string]any
			if err := dec.Decode(&args); err != nil {
				t.Fatal(err)
			}
			_, faults := tool(t, c, k.tool).Check(args)
			if len(faults) != 1 || faults[0].Path != k.path || !strings.Contains(faults[0].Message, k.message) {
				t.Errorf("%+v", faults)
			}
		})
	}
}
