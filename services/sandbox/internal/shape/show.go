package shape

import "github.com/getkin/kin-openapi/openapi3"

// Show is what an answer of schema s shows of v: the properties that s names,
// without those that are never shown. A schema that names none shows all.
func Show(s *openapi3.Schema, v any) any { return show(s, v, maxDepth) }

func show(s *openapi3.Schema, v any, depth int) any {
	if s == nil || depth == 0 {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		o := lookAt(s, v)
		out := make(map[string]any, len(v))
		for name, e := range v {
			p, named := o.properties[name]
			switch {
			case named && WriteOnly(p):
			case named:
				out[name] = show(p, e, depth-1)
			case o.open:
				out[name] = show(o.other, e, depth-1)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = show(items(s), e, depth-1)
		}
		return out
	default:
		return v
	}
}
