package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/comporta-mcp/comporta/pkg/catalog/internal/shape"
)

// HandTool completes a tool that is written by hand. meta says what it is and
// does; in and out are zero values of its argument and answer structs (fields by
// json tag, descriptions by jsonschema tag), a json.RawMessage or *jsonschema.Schema
// that is the schema itself, or nil for none. The schemas follow the same rules as
// those of documents; the common arguments are added by what meta says.
func HandTool(meta Tool, in, out any) (*Tool, error) {
	t := meta
	if !toolName.MatchString(t.Name) {
		return nil, fmt.Errorf("tool %q: the name must match %s", t.Name, NamePattern)
	}
	if t.Effect == "" {
		t.Effect = Destructive
	}
	own := shape.NewObject()
	if in != nil {
		read, err := shapeOf(in, shape.In)
		if err != nil {
			return nil, fmt.Errorf("tool %s: arguments: %w", t.Name, err)
		}
		own = read.With(nil, nil)
	}
	for _, name := range commonNames(&t) {
		if _, taken := own.Prop(name); taken {
			return nil, fmt.Errorf("tool %s: %s is the name of a common argument", t.Name, name)
		}
	}
	secrets, untrusted := own.Marked()
	t.Input = inputSchema(&t, own, t.elsewhere)
	t.Secrets, t.Untrusted = together(t.Secrets, secrets), together(t.Untrusted, untrusted)
	if out == nil {
		return &t, nil
	}
	answer, err := shapeOf(out, shape.Out)
	if err != nil {
		return nil, fmt.Errorf("tool %s: answer: %w", t.Name, err)
	}
	t.Output = outputSchema(asObject(answer), append(append([]string{}, t.Untrusted...), t.Secrets...))
	return &t, nil
}

// elsewhere is where a hand-written tool's argument is told, see shape.Listing.
func (t *Tool) elsewhere(argument, _ string) string { return t.Told[argument] }

// shapeOf reads a Go struct, or a schema, as documents are read.
func shapeOf(v any, mode shape.Mode) (*shape.Shape, error) {
	text, ok := v.(json.RawMessage)
	if !ok {
		schema, isSchema := v.(*jsonschema.Schema)
		if !isSchema {
			var err error
			if schema, err = jsonschema.ForType(reflect.TypeOf(v), &jsonschema.ForOptions{}); err != nil {
				return nil, err
			}
		}
		var err error
		if text, err = json.Marshal(schema); err != nil {
			return nil, err
		}
	}
	var ref openapi3.SchemaRef
	if err := json.Unmarshal(text, &ref); err != nil {
		return nil, err
	}
	if ref.Value == nil {
		return nil, errors.New("is no schema")
	}
	builder := shape.NewBuilder(mode, nil)
	out := builder.Shape(&ref)
	for _, f := range builder.Finish() {
		return nil, errors.New(f.Message)
	}
	if mode == shape.In {
		// Go's inference calls every slice nullable; to a struct null and absent are one.
		builder.NullIsAbsent()
	}
	for _, leaf := range out.Leaves() {
		if mode == shape.In && leaf.Kind != shape.Object {
			return nil, errors.New("must be an object")
		}
	}
	return out, nil
}
