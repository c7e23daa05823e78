package shape

import "github.com/getkin/kin-openapi/openapi3"

// Facts are what the platform knows when it fills what only it sets. Known
// answers by a property's name and schema; false means: make something up.
type Facts interface {
	Known(name string, s *openapi3.Schema) (any, bool)
}

// Fill completes v for an answer of schema s: read-only properties from facts or
// made up, and whatever else the schema requires and v lacks.
func Fill(s *openapi3.Schema, v map[string]any, facts Facts) { fill(s, v, facts, maxDepth) }

func fill(s *openapi3.Schema, v map[string]any, facts Facts, depth int) {
	if s == nil || depth == 0 {
		return
	}
	o := lookAt(s, v)
	for name, p := range o.properties {
		if have, present := v[name]; present {
			fillWithin(p, have, facts, depth-1)
			continue
		}
		if ReadOnly(p) && !WriteOnly(p) {
			v[name] = made(name, p, facts, depth-1)
		}
	}
	for _, name := range o.required {
		p := o.properties[name]
		if _, present := v[name]; !present && p != nil && !WriteOnly(p) {
			v[name] = made(name, p, facts, depth-1)
		}
	}
}

func fillWithin(s *openapi3.Schema, v any, facts Facts, depth int) {
	switch v := v.(type) {
	case map[string]any:
		fill(s, v, facts, depth)
	case []any:
		for _, e := range v {
			if depth > 0 {
				fillWithin(items(s), e, facts, depth-1)
			}
		}
	}
}

func made(name string, p *openapi3.Schema, facts Facts, depth int) any {
	if facts != nil {
		if v, ok := facts.Known(name, p); ok {
			return v
		}
	}
	return sample(p, facts, depth)
}
