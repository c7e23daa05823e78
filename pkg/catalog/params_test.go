package catalog_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

const zones = `
  /zones/{zone_id}:
    parameters:
      - {name: zone_id, in: path, required: true, schema: {type: string}}
      - {name: lang, in: query, schema: {type: string}}
    get:
      operationId: inherits
      description: d
      x-mcp: {effect: read}
      responses: {'200': {description: ok}}
    patch:
      operationId: overrides
      description: d
      x-mcp: {effect: write}
      parameters:
        - {name: zone_id, in: path, required: true, schema: {type: integer}}
        - {name: zone_id, in: query, schema: {type: boolean}}
        - {name: Accept, in: header, schema: {type: string}}
        - {name: X-Trace, in: header, schema: {type: string}}
        - {name: 'filter[name]', in: query, schema: {type: string}}
        - {name: where, in: query, content: {application/json: {schema: {type: object, properties: {a: {type: integer}}}}}}
      responses: {'200': {description: ok}}
`

func TestParametersOfThePathAreMerged(t *testing.T) {
	c := load(t, zones, "")
	want := []catalog.Param{
		{Arg: "zone_id", Name: "zone_id", In: catalog.Path, Required: true, Style: "simple"},
		{Arg: "lang", Name: "lang", In: catalog.Query, Style: "form", Explode: true},
	}
	if diff := cmp.Diff(want, tool(t, c, "inherits").Binding.Params); diff != "" {
		t.Error(diff)
	}
	want = []catalog.Param{
		{Arg: "zone_id", Name: "zone_id", In: catalog.Path, Required: true, Style: "simple"},
		{Arg: "lang", Name: "lang", In: catalog.Query, Style: "form", Explode: true},
		{Arg: "zone_id_query", Name: "zone_id", In: catalog.Query, Style: "form", Explode: true},
		{Arg: "filter_name", Name: "filter[name]", In: catalog.Query, Style: "form", Explode: true},
		{Arg: "where", Name: "where", In: catalog.Query, Style: "json"},
		{Arg: "X-Trace", Name: "X-Trace", In: catalog.Header, Style: "simple"},
	}
	if diff := cmp.Diff(want, tool(t, c, "overrides").Binding.Params); diff != "" {
		t.Error(diff)
	}
	clean, faults := tool(t, c, "overrides").Check(map[string]any{"zone_id": "5", "zone_id_query": "true"})
	if diff := cmp.Diff(map[string]any{"zone_id": json.Number("5"), "zone_id_query": true}, clean); diff != "" || len(faults) > 0 {
		t.Error(diff, faults)
	}
}

func TestStylesAreRecorded(t *testing.T) {
	c := load(t, `
  /things:
    get:
      operationId: styles
      description: d
      x-mcp: {effect: read}
      parameters:
        - {name: a, in: query, schema: {type: array, items: {type: string}}}
        - {name: b, in: query, explode: false, schema: {type: array, items: {type: string}}}
        - {name: c, in: query, style: pipeDelimited, explode: false, schema: {type: array, items: {type: string}}}
        - {name: d, in: query, style: spaceDelimited, explode: false, schema: {type: array, items: {type: string}}}
        - {name: e, in: query, style: deepObject, explode: true, schema: {type: object, properties: {x: {type: string}}}}
      responses: {'200': {description: ok}}
`, "")
	var got [][2]any
	for _, p := range tool(t, c, "styles").Binding.Params {
		got = append(got, [2]any{p.Style, p.Explode})
	}
	want := [][2]any{{"form", true}, {"form", false}, {"pipeDelimited", false}, {"spaceDelimited", false}, {"deepObject", true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheBodyMeetsTheParameters(t *testing.T) {
	const op = `
  /things/{id}:
    put:
      operationId: put_thing
      description: d
      x-mcp: {effect: write}
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      requestBody: {required: true, content: {BODY}}
      responses: {'200': {description: ok}}
`
	for _, c := range []struct {
		name, body string
		want       catalog.Body
	}{
		{"plain fields become arguments", "application/json: {schema: {type: object, properties: {a: {type: string}, b: {type: integer}}}}",
			catalog.Body{MediaType: "application/json", Fields: []string{"a", "b"}}},
		{"a taken name makes the body one argument", "application/json: {schema: {type: object, properties: {id: {type: string}, b: {type: integer}}}}",
			catalog.Body{MediaType: "application/json", Whole: "body"}},
		{"so does the name of a common argument", "application/json: {schema: {type: object, properties: {dry_run: {type: boolean}}}}",
			catalog.Body{MediaType: "application/json", Whole: "body"}},
		{"and an open map", "application/json: {schema: {type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}}",
			catalog.Body{MediaType: "application/json", Whole: "body"}},
		{"and an array", "application/json: {schema: {type: array, items: {type: integer}}}",
			catalog.Body{MediaType: "application/json", Whole: "body"}},
		{"a choice of objects still becomes arguments", "application/json: {schema: {oneOf: [{type: object, properties: {a: {type: string}}}, {type: object, properties: {c: {type: string}}}]}}",
			catalog.Body{MediaType: "application/json", Fields: []string{"a", "c"}}},
		{"bytes are one argument", "application/octet-stream: {schema: {type: string, format: binary}}",
			catalog.Body{MediaType: "application/octet-stream", Whole: "body", Bytes: true}},
		{"a form's fields are arguments", "multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}}",
			catalog.Body{MediaType: "multipart/form-data", Fields: []string{"a"}}},
		{"JSON is preferred", "text/plain: {schema: {type: string}}, application/vnd.x+json: {schema: {type: object, properties: {a: {type: string}}}}",
			catalog.Body{MediaType: "application/vnd.x+json", Fields: []string{"a"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Required = true
			got := tool(t, load(t, replace(op, "BODY", c.body), ""), "put_thing").Binding.Body
			if diff := cmp.Diff(&c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestABodyThatMayBeLeftOutRequiresNothingUntilItIsThere(t *testing.T) {
	scan := tool(t, museum(t, catalog.Options{}), "read_ticket")
	if _, faults := scan.Check(map[string]any{"day": "2025-01-31"}); len(faults) > 0 {
		t.Error(faults)
	}
	if _, faults := scan.Check(map[string]any{"day": "2025-01-31", "code": nil}); len(faults) > 0 {
		t.Error(faults)
	}
	_, faults := scan.Check(map[string]any{"day": "2025-01-31", "cod": "x"})
	if len(faults) != 1 || faults[0].Message != `unknown argument; did you mean "code"?` {
		t.Error(faults)
	}
}

func TestAbsentArgumentsAreEmptyOnes(t *testing.T) {
	c := load(t, `
  /things:
    get:
      operationId: list_things
      description: d
      x-mcp: {effect: read}
      responses: {'200': {description: ok}}
`, "")
	clean, faults := tool(t, c, "list_things").Check(nil)
	if clean == nil || len(clean) != 0 || len(faults) != 0 {
		t.Error(clean, faults)
	}
	if got := string(tool(t, c, "list_things").Input.Listed); got != `{"type":"object","properties":{"empresa_id":{"type":"integer"}}}` {
		t.Error(got)
	}
}
