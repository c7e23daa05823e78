package shape

import (
	"encoding/json"

	"github.com/getkin/kin-openapi/openapi3"
)

// maxExample bounds an example that a document gives for other purposes, in
// bytes; one that is said for agents (x-mcp.example) counts whatever its length.
const maxExample = 160

// example takes over how a value looks. What x-mcp says is checked in Finish: an
// example that the check refuses would teach agents a fault.
func (b *Builder) example(s *Shape, schema *openapi3.Schema) {
	if s.Example != nil || b.mode != In {
		return
	}
	marks, _ := schema.Extensions["x-mcp"].(map[string]any)
	if said, ok := marks["example"]; ok {
		s.Example = exact(said)
		b.examples = append(b.examples, origin{shape: s, schema: schema})
		return
	}
	compound := schema.Type.Is("object") || schema.Type.Is("array")
	if text, err := json.Marshal(schema.Example); compound && schema.Example != nil && err == nil && len(text) <= maxExample {
		s.Example = exact(schema.Example)
	}
}

// exact is a value of a document with its numbers in canonical form.
func exact(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			out[name] = exact(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = exact(value)
		}
		return out
	}
	return canonical(v)
}

// checkExamples refuses examples that are none.
func (b *Builder) checkExamples() {
	for _, e := range b.examples {
		_, wrongs := e.shape.Check(e.shape.Example)
		for _, w := range wrongs {
			b.fault(e.schema, "x-mcp.example: %s %s", w.Path, w.Message)
		}
	}
	b.examples = nil
}
