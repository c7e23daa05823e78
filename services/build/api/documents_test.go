package api_test

import (
	"io/fs"
	"maps"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/comporta-mcp/comporta/services/build/api"
)

// object is a YAML mapping as it was decoded.
type object = map[string]any

// document is one OpenAPI document, undecoded beyond YAML, so that the tests
// see what an operator reads and not what a library makes of it.
type document struct {
	name string
	root object
}

// operation is one method of one path.
type operation struct {
	doc    *document
	path   string
	method string
	spec   object
}

func (o operation) name() string { return o.spec["operationId"].(string) }

func (o operation) mcp() object {
	rules, _ := o.spec["x-mcp"].(object)
	return rules
}

func ownDocuments(t *testing.T) []*document {
	t.Helper()
	names, err := fs.Glob(api.Documents, "*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("documents embedded: %v, %v", names, err)
	}
	var docs []*document
	for _, name := range names {
		text, err := api.Documents.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, parse(t, name, text))
	}
	return docs
}

func parse(t *testing.T, name string, text []byte) *document {
	t.Helper()
	doc := &document{name: name}
	if err := yaml.Unmarshal(text, &doc.root); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return doc
}

// operations are those of the paths that wanted accepts, in a stable order.
func (d *document) operations(wanted func(path string) bool) []operation {
	var all []operation
	paths := d.root["paths"].(object)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if !wanted(path) {
			continue
		}
		item := paths[path].(object)
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			if spec, ok := item[method].(object); ok {
				all = append(all, operation{d, path, method, spec})
			}
		}
	}
	return all
}

func everyPath(string) bool { return true }

func ownOperations(t *testing.T) []operation {
	t.Helper()
	var all []operation
	for _, doc := range ownDocuments(t) {
		all = append(all, doc.operations(everyPath)...)
	}
	return all
}
