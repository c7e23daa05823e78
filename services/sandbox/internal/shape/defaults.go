package shape

import "github.com/getkin/kin-openapi/openapi3"

// Defaults sets, in v, every property that the caller may set, did not set, and
// has a default; objects within v too. An absent object appears where its own
// defaults make it whole, as the platform shows the modules of an application
// that was created without naming any.
func Defaults(s *openapi3.Schema, v map[string]any) { defaults(s, v, maxDepth) }

func defaults(s *openapi3.Schema, v map[string]any, depth int) {
	if depth == 0 {
		return
	}
	o := lookAt(s, v)
	for name, p := range o.properties {
		if ReadOnly(p) {
			continue
		}
		have, present := v[name]
		if !present {
			if d, ok := absent(p, depth-1); ok {
				v[name] = d
			}
			continue
		}
		within(p, have, depth-1)
	}
}

// absent is the value of a property that was left out, if the schema knows one.
func absent(p *openapi3.Schema, depth int) (any, bool) {
	if d, ok := defaultOf(p); ok {
		within(p, d, depth)
		return d, true
	}
	if Type(p) != openapi3.TypeObject || Nullable(p) || len(p.OneOf)+len(p.AnyOf) > 0 {
		return nil, false
	}
	made := map[string]any{}
	defaults(p, made, depth)
	if len(made) == 0 {
		return nil, false
	}
	for _, name := range lookAt(p, made).required {
		if _, ok := made[name]; !ok {
			return nil, false
		}
	}
	return made, true
}

// within applies defaults to the objects inside a value that is there.
func within(s *openapi3.Schema, v any, depth int) {
	if depth <= 0 {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		defaults(s, v, depth)
	case []any:
		for _, e := range v {
			within(items(s), e, depth-1)
		}
	}
}

// DropReadOnly takes out of v what only the platform sets: sending back what was
// read is no fault.
func DropReadOnly(s *openapi3.Schema, v any) { dropReadOnly(s, v, maxDepth) }

func dropReadOnly(s *openapi3.Schema, v any, depth int) {
	if s == nil || depth == 0 {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name, p := range lookAt(s, v).properties {
			if ReadOnly(p) {
				delete(v, name)
				continue
			}
			dropReadOnly(p, v[name], depth-1)
		}
	case []any:
		for _, e := range v {
			dropReadOnly(items(s), e, depth-1)
		}
	}
}
