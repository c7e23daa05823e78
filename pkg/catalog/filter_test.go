package catalog_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

const fleet = `openapi: 3.0.3
info: {title: Fleet, version: "1"}
paths:
  /ships:
    get:
      operationId: list_ships
      description: Finds ships.
      x-mcp: {effect: read}
      parameters:
        - {name: name, in: query, description: "A part of it, in any case.", schema: {type: string}}
        - {name: flag, in: query, description: two letters, schema: {type: string}}
        - {name: length, in: query, schema: {type: integer, minimum: 1}}
        - {name: kind, in: query, schema: {type: string, enum: [tug, liner]}}
        - {name: built__gte, in: query, schema: {type: string, format: date-time}}
        - {name: built__lte, in: query, schema: {type: string, format: date-time}}
        - {name: search, in: query, schema: {type: string}}
        - {name: page, in: query, schema: {type: integer}}
        - {name: page_size, in: query, schema: {type: integer}}
      responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Ships'}}}}}
  /berths:
    get:
      operationId: list_berths
      description: Finds berths.
      x-mcp: {effect: read}
      parameters:
        - {name: filter, in: query, schema: {type: string}}
        - {name: quay, in: query, schema: {type: string}}
        - {name: depth, in: query, schema: {type: integer}}
        - {name: page, in: query, schema: {type: integer}}
        - {name: page_size, in: query, schema: {type: integer}}
      responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Ships'}}}}}
components:
  schemas:
    Ships:
      type: object
      properties:
        count: {type: integer}
        results: {type: array, items: {type: object, properties: {id: {type: integer}, name: {type: string}}}}
`

func ships(t *testing.T) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Load(fstest.MapFS{"fleet.yaml": {Data: []byte(fleet)}}, catalog.Options{Area: "fleet"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFiltersOfAListAreOneObject(t *testing.T) {
	list := tool(t, ships(t), "list_ships")
	want := `{"type":"object","properties":{"filter":{"type":"object","description":"built__gte/__lte: date-time, flag (two letters), kind: tug|liner, length, name, search","properties":{}},` +
		`"limit":{"type":"integer"},"page":{"type":"integer"},"empresa_id":{"type":"integer"}}}`
	if got := string(list.Input.Listed); got != want {
		t.Errorf("listed as\n%s\nwant\n%s", got, want)
	}
	for _, told := range []string{`"filter":{"type":"object"`, "A part of it, in any case.", `"minimum":1`} {
		if !strings.Contains(string(list.Input.Full), told) {
			t.Errorf("the complete schema lacks %s:\n%s", told, list.Input.Full)
		}
	}
}

func TestWhatNearlyEveryListHasIsToldAsDots(t *testing.T) {
	usual := `"fields": {"type": "string"}, "ordering": {"type": "string"}, "search": {"type": "string"}`
	for name, c := range map[string]struct{ properties, told string }{
		"beside others":           {usual + `, "id": {"type": "integer"}`, "id, …"},
		"with nothing beside":     {usual, "fields, ordering, search"},
		"not where one is absent": {`"fields": {"type": "string"}, "id": {"type": "integer"}`, "fields, id"},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := catalog.HandTool(catalog.Tool{Name: "list", Effect: catalog.Read, Narrowed: true},
				json.RawMessage(`{"type": "object", "properties": {`+c.properties+`, "cursor": {"type": "string"}}}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			want := `{"type":"object","properties":{"cursor":{"type":"string"},"filter":{"type":"object","description":"` + c.told + `","properties":{}}}}`
			if got := string(list.Input.Listed); got != want {
				t.Errorf("listed as\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestADocumentsOwnFilterIsLeftAlone(t *testing.T) {
	list := tool(t, ships(t), "list_berths")
	clean, faults := list.Check(map[string]any{"filter": "free", "quay": "north"})
	if len(faults) > 0 || clean["filter"] != "free" {
		t.Errorf("%v, %v", clean, faults)
	}
	if !strings.Contains(string(list.Input.Listed), `"quay":{"type":"string"}`) {
		t.Errorf("%s", list.Input.Listed)
	}
}

func TestFiltersAreCheckedWhereverTheyStand(t *testing.T) {
	for _, c := range []struct {
		name, args string
		clean      string   // as JSON; "" where there are faults
		faults     []string // path: message
	}{
		{"inside filter", `{"filter":{"name":"ann","length":"12"}}`, `{"length":12,"name":"ann"}`, nil},
		{"beside it", `{"name":"ann"}`, `{"name":"ann"}`, nil},
		{"some here, some there", `{"name":"ann","filter":{"kind":"tug","search":"x"}}`, `{"kind":"tug","name":"ann","search":"x"}`, nil},
		{"null is absent", `{"filter":null}`, `{}`, nil},
		{"null in it is absent", `{"name":null,"filter":{"name":"ann","kind":null}}`, `{"name":"ann"}`, nil},
		{"a wrong value has its path", `{"filter":{"kind":"tugg","length":0}}`, "", []string{
			`filter.kind: must be one of "tug", "liner"; did you mean "tug"?`, "filter.length: must be at least 1"}},
		{"a wrong value beside it has its own", `{"length":0}`, "", []string{"length: must be at least 1"}},
		{"twice", `{"name":"a","filter":{"name":"b"}}`, "", []string{"filter.name: is given beside filter as well; send it once"}},
		{"a misspelt key", `{"filter":{"nam":"a"}}`, "", []string{`filter.nam: unknown filter; did you mean "name"?`}},
		{"an unknown key", `{"filter":{"captain":"a"}}`, "", []string{
			"filter.captain: unknown filter; known here: name, flag, length, kind, built__gte, built__lte, search"}},
		{"what belongs beside it", `{"filter":{"limit":5}}`, "", []string{"filter.limit: is no filter; send it beside filter"}},
		{"no object", `{"filter":"name"}`, "", []string{"filter: must be an object of name, flag, length, kind, built__gte, built__lte, search"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var args map[string]any
			if err := json.Unmarshal([]byte(c.args), &args); err != nil {
				t.Fatal(err)
			}
			clean, faults := tool(t, ships(t), "list_ships").Check(args)
			var told []string
			for _, f := range faults {
				told = append(told, f.Path+": "+f.Message)
			}
			if diff := cmp.Diff(c.faults, told); diff != "" {
				t.Error(diff)
			}
			if c.clean == "" {
				return
			}
			if got, _ := json.Marshal(clean); string(got) != c.clean {
				t.Errorf("clean is %s, want %s", got, c.clean)
			}
		})
	}
}
