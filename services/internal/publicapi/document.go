// Package publicapi is test support for the documents of the areas. It holds
// their facts against the platform's own OpenAPI document, their x-mcp rules
// against contract §5, and their prose against what a tool list bears. Each
// area's api package calls it from its tests and brings what only it can know:
// its paths, its profiles, its deviations. That a document loads at all is
// pkg/catalog's to say.
package publicapi

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Object is a YAML mapping as it was decoded.
type Object = map[string]any

// Document is one OpenAPI document, undecoded beyond YAML, so that the tests
// see what an operator reads and not what a library makes of it.
type Document struct {
	Name string
	Root Object

	files map[string]Object // by name: this one and those it may refer to
}

// Operation is one method of one path.
type Operation struct {
	Doc    *Document
	Path   string
	Method string // lower case
	Spec   Object
}

// Name is the operationId, which is the name of the tool.
func (o Operation) Name() string {
	name, _ := o.Spec["operationId"].(string)
	return name
}

// rules is its x-mcp.
func (o Operation) rules() Object {
	rules, _ := o.Spec["x-mcp"].(Object)
	return rules
}

// Operations are those of all *.yaml of an area, in a stable order.
func Operations(t testing.TB, documents fs.FS) []Operation {
	t.Helper()
	names, err := fs.Glob(documents, "*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("documents: %v, %v", names, err)
	}
	files := map[string]Object{}
	for _, name := range names {
		text, err := fs.ReadFile(documents, name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = parse(t, name, text)
	}
	var all []Operation
	for _, name := range names {
		doc := &Document{Name: name, Root: files[name], files: files}
		all = append(all, doc.operations(func(string) bool { return true })...)
	}
	return all
}

// parse reads one file. Its references name the file from then on, so that they
// can be followed from anywhere.
func parse(t testing.TB, name string, text []byte) Object {
	t.Helper()
	var root Object
	if err := yaml.Unmarshal(text, &root); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	nameReferences(name, root)
	return root
}

func nameReferences(file string, value any) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			nameReferences(file, element)
		}
	case Object:
		for key, element := range value {
			// A discriminator's mapping has references that are not called $ref.
			if ref, ok := element.(string); ok && strings.HasPrefix(ref, "#/") {
				value[key] = file + ref
			}
			nameReferences(file, element)
		}
	}
}

// operations are those of the paths that wanted accepts.
func (d *Document) operations(wanted func(path string) bool) []Operation {
	var all []Operation
	paths, _ := d.Root["paths"].(Object)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if !wanted(path) {
			continue
		}
		item, _ := paths[path].(Object)
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			if spec, ok := item[method].(Object); ok {
				all = append(all, Operation{d, path, method, spec})
			}
		}
	}
	return all
}
