package shape

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

// components reads schemas, indented by two, as a document's components.
func components(t testing.TB, version, schemas string) openapi3.Schemas {
	t.Helper()
	text := "openapi: " + version + "\ninfo: {title: t, version: '1'}\npaths: {}\ncomponents:\n  schemas:\n"
	for line := range strings.Lines(strings.TrimLeft(schemas, "\n")) {
		text += "    " + line
	}
	loader := openapi3.NewLoader()
	loader.IncludeOrigin = true
	spec, err := loader.LoadFromData([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return spec.Components.Schemas
}

// read gives the shape of the schema called Top.
func read(t testing.TB, mode Mode, schemas string) *Shape {
	t.Helper()
	named := components(t, "3.1.0", schemas)
	b := NewBuilder(mode, named)
	s := b.Shape(&openapi3.SchemaRef{Ref: "#/components/schemas/Top", Value: named["Top"].Value})
	for _, f := range b.Finish() {
		t.Fatalf("%+v", f)
	}
	return s
}

func faultsOf(t testing.TB, schemas string) []string {
	t.Helper()
	named := components(t, "3.1.0", schemas)
	b := NewBuilder(In, named)
	b.Shape(&openapi3.SchemaRef{Ref: "#/components/schemas/Top", Value: named["Top"].Value})
	var out []string
	for _, f := range b.Finish() {
		out = append(out, f.Message)
	}
	return out
}

// decode keeps every digit, as the host does.
func decode(t testing.TB, text string) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func encode(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// lines tells wrongs as "path: message".
func lines(wrongs []Wrong) []string {
	var out []string
	for _, w := range wrongs {
		out = append(out, w.Path+": "+w.Message)
	}
	return out
}

func expect(t *testing.T, s *Shape, value, clean string, wrong ...string) {
	t.Helper()
	got, wrongs := s.Check(decode(t, value))
	if diff := cmp.Diff(wrong, lines(wrongs)); diff != "" {
		t.Fatalf("%s: wrong differs (-want +got)\n%s", value, diff)
	}
	if len(wrong) == 0 && encode(t, got) != clean {
		t.Fatalf("%s became %s, want %s", value, encode(t, got), clean)
	}
}
