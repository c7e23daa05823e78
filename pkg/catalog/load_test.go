package catalog_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// document is an OpenAPI document around paths and schemas, both indented by two.
func document(paths, schemas string) string {
	return "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths:\n" + strings.TrimLeft(paths, "\n") +
		"components:\n  securitySchemes:\n    cookie: {type: apiKey, in: cookie, name: c}\n    query: {type: apiKey, in: query, name: k}\n  schemas:\n" +
		"    None: {type: object}\n" + strings.TrimLeft(schemas, "\n")
}

func load(t testing.TB, paths, schemas string) *catalog.Catalog {
	t.Helper()
	text := document(paths, schemas)
	c, err := catalog.Load(fstest.MapFS{"doc.yaml": {Data: []byte(text)}}, catalog.Options{Area: "test"})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, err := range catalog.Lint(c.Tools()) {
		t.Error(err)
	}
	return c
}

func tool(t testing.TB, c *catalog.Catalog, name string) *catalog.Tool {
	t.Helper()
	found, ok := c.Tool(name)
	if !ok {
		t.Fatalf("there is no tool %s", name)
	}
	return found
}

func museum(t testing.TB, o catalog.Options) *catalog.Catalog {
	t.Helper()
	o.Area = "museum"
	c, err := catalog.Load(os.DirFS("testdata/museum"), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAnotherHousesDocumentBecomesTools(t *testing.T) {
	c := museum(t, catalog.Options{Profiles: []string{"rooms"}})
	var names []string
	for _, tool := range c.Tools() {
		names = append(names, tool.Name)
	}
	if diff := cmp.Diff([]string{"create_exhibit", "delete_exhibit", "delete_hall", "list_exhibits", "retrieve_exhibit", "retrieve_hall"}, names); diff != "" {
		t.Error(diff)
	}
	if never := c.Never(); len(never) != 1 || never[0].Name != "read_ticket" || never[0].Never == "" {
		t.Errorf("never: %v", never)
	}
	for _, err := range catalog.Lint(c.Tools()) {
		t.Error(err)
	}
	if docs := c.Documents(); len(docs) != 1 || docs[0].File != "museum.yaml" || docs[0].Spec == nil {
		t.Errorf("documents: %+v", docs)
	}
}

func TestWhatFollowsFromPathsAndMethods(t *testing.T) {
	c := museum(t, catalog.Options{})
	create := tool(t, c, "create_exhibit")
	if !create.Creates || create.Idempotent || create.Retrieve != "" {
		t.Errorf("create: %+v", create)
	}
	if diff := cmp.Diff(&catalog.Find{List: "list_exhibits", By: []catalog.Match{{Arg: "name", Field: "name"}}}, create.Find); diff != "" {
		t.Error(diff)
	}
	if create.Operation == nil || create.Operation.Probe != "retrieve_exhibit" {
		t.Errorf("a 202 makes no operation: %+v", create.Operation)
	}
	list := tool(t, c, "list_exhibits")
	if diff := cmp.Diff(&catalog.List{Key: "items", TotalKey: "total", PageArg: "page", SizeArg: "per_page", MaxSize: 40}, list.List); diff != "" {
		t.Error(diff)
	}
	gone := tool(t, c, "delete_exhibit")
	if gone.Retrieve != "retrieve_exhibit" || gone.Confirm != catalog.ConfirmTrue || !gone.Idempotent || gone.Creates {
		t.Errorf("delete: %+v", gone)
	}
	hall := tool(t, c, "delete_hall")
	if hall.Root != "hall" || hall.RootArg != "hall_id" || hall.RootField != "" || hall.Confirm != catalog.ConfirmName {
		t.Errorf("delete of a root: %+v", hall)
	}
	if scan := tool(t, c, "read_ticket"); scan.Creates || scan.Writes() {
		t.Errorf("a POST that only reads: %+v", scan)
	}
}

func TestServerAndCredentialComeFromTheDocument(t *testing.T) {
	c := museum(t, catalog.Options{})
	b := tool(t, c, "create_exhibit").Binding
	if b.Base != "https://north.museum.example/api" || b.Auth != (catalog.Auth{In: catalog.Header, Name: "X-Museum-Key"}) {
		t.Errorf("%+v", b)
	}
	if auth := tool(t, c, "retrieve_hall").Binding.Auth; auth != (catalog.Auth{}) {
		t.Errorf("an operation that wants no credential gets one at %+v", auth)
	}
}

func TestMarksOfPropertiesBecomePaths(t *testing.T) {
	c := museum(t, catalog.Options{})
	if diff := cmp.Diff([]string{"alarm_code", "parts[].alarm_code", "parts[].parts[].alarm_code", "parts[].parts[].parts[].alarm_code"}, tool(t, c, "create_exhibit").Secrets); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"items[].label", "items[].parts[].label", "items[].parts[].parts[].label"}, tool(t, c, "list_exhibits").Untrusted); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"code"}, tool(t, c, "read_ticket").Secrets); diff != "" {
		t.Error(diff)
	}
}

func TestAnAnswerThatIsNoObjectStandsUnderData(t *testing.T) {
	out := tool(t, museum(t, catalog.Options{}), "retrieve_hall").Output
	if faults := out.Validate(map[string]any{"data": []string{"a"}, "more": 1}); len(faults) > 0 {
		t.Error(faults)
	}
	if faults := out.Validate(map[string]any{"data": "a"}); len(faults) != 1 || faults[0].Path != "data" {
		t.Error(faults)
	}
}

func TestTheCheckFollowsADocumentOfSeveralFiles(t *testing.T) {
	create := tool(t, museum(t, catalog.Options{}), "create_exhibit")
	_, faults := create.Check(map[string]any{
		"hall_id": "9007199254740993", "name": "Clock",
		"frame": map[string]any{"wood": "oka"},
		"parts": []any{map[string]any{"name": "Hand", "frame": map[string]any{"metal": "tin", "width": 0.5}, "id": 3}},
	})
	var got []string
	for _, f := range faults {
		got = append(got, f.Path+": "+f.Message)
	}
	want := []string{
		`frame.wood: must be one of "oak", "ash"; did you mean "oak"?`,
		"parts[0].frame.width: must be at least 1",
		"parts[0].id: is set by the platform and cannot be sent; leave it out",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
