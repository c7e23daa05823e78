package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/shape"
)

// writer makes request bodies from schemas: every property that may be set, with
// the variant-th alternative wherever a schema leaves a choice.
type writer struct {
	variant  int
	branches int // the largest number of alternatives that was met
}

func (w *writer) value(name string, s *openapi3.Schema, depth int) any {
	if depth == 0 {
		return nil
	}
	if n := len(shape.Enum(s)); n > 0 {
		return w.choose(shape.Enum(s))
	}
	for _, refs := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf} {
		if len(refs) > 0 {
			return w.branch(name, s, refs, depth)
		}
	}
	switch shape.Type(s) {
	case openapi3.TypeBoolean:
		return w.variant%2 == 0
	case openapi3.TypeObject:
		return w.object(s, depth)
	case openapi3.TypeArray:
		return w.array(name, s, depth)
	case openapi3.TypeString:
		if candidate := fmt.Sprintf("%s %d é文😀", name, w.variant); shape.Validate(s, candidate) == nil && shape.Format(s) == "" {
			return candidate
		}
		return must(s, shape.Sample(withoutNull(s)))
	case openapi3.TypeInteger, openapi3.TypeNumber:
		if n := json.Number(strconv.Itoa(w.variant + 1)); shape.Validate(s, n) == nil {
			return n
		}
		return must(s, shape.Sample(withoutNull(s)))
	}
	return map[string]any{"any": "thing"}
}

func (w *writer) choose(values []any) any {
	w.branches = max(w.branches, len(values))
	raw, _ := json.Marshal(values[w.variant%len(values)])
	v, _ := shape.Decode(raw)
	return v
}

func (w *writer) branch(name string, s *openapi3.Schema, refs openapi3.SchemaRefs, depth int) any {
	w.branches = max(w.branches, len(refs))
	if s.Discriminator != nil {
		kinds := make([]any, 0, len(s.Discriminator.Mapping))
		for kind := range s.Discriminator.Mapping {
			kinds = append(kinds, kind)
		}
		slices.SortFunc(kinds, func(a, b any) int { return cmpText(a, b) })
		kind := w.choose(kinds)
		target := s.Discriminator.Mapping[kind.(string)].Ref
		for _, ref := range refs {
			if ref.Ref != target && ref.Ref != "#/components/schemas/"+target {
				continue
			}
			v := w.value(name, ref.Value, depth-1).(map[string]any)
			v[s.Discriminator.PropertyName] = kind
			return v
		}
	}
	return w.value(name, refs[w.variant%len(refs)].Value, depth-1)
}

func (w *writer) object(s *openapi3.Schema, depth int) any {
	v := map[string]any{}
	for _, name := range shape.Names(s) {
		p := shape.Property(s, name)
		if shape.ReadOnly(p) {
			continue
		}
		if made := w.value(name, p, depth-1); made != nil || shape.Nullable(p) {
			v[name] = made
		}
	}
	if len(v) == 0 && openObject(s) {
		v["any"] = "thing"
	}
	return v
}

func openObject(s *openapi3.Schema) bool {
	has := s.AdditionalProperties.Has
	return len(s.Properties) == 0 && (has == nil || *has) && s.AdditionalProperties.Schema == nil
}

func (w *writer) array(name string, s *openapi3.Schema, depth int) any {
	list := []any{}
	inner := *w
	for i := range max(1, int(s.MinItems)) {
		if s.Items == nil {
			return list
		}
		inner.variant = w.variant + i
		list = append(list, inner.value(name, s.Items.Value, depth-1))
	}
	w.branches = max(w.branches, inner.branches)
	return list
}

func withoutNull(s *openapi3.Schema) *openapi3.Schema {
	c := *s
	c.Nullable, c.Default = false, nil
	return &c
}

func must(s *openapi3.Schema, v any) any {
	raw, _ := json.Marshal(v)
	v, _ = shape.Decode(raw)
	return v
}

func cmpText(a, b any) int {
	switch {
	case a.(string) < b.(string):
		return -1
	case a.(string) > b.(string):
		return 1
	}
	return 0
}

// lost is the first place where what was read lacks what was written, by s; ""
// when it holds all of it. What is never shown is not missed.
func lost(at string, s *openapi3.Schema, written, read any) string {
	switch written := written.(type) {
	case map[string]any:
		read, ok := read.(map[string]any)
		if !ok {
			return at
		}
		for name, v := range written {
			p := shape.Property(s, name)
			if p != nil && shape.WriteOnly(p) {
				continue
			}
			if p == nil {
				p = &openapi3.Schema{}
			}
			if where := lost(at+"/"+name, p, v, read[name]); where != "" {
				return where
			}
		}
		return ""
	case []any:
		read, ok := read.([]any)
		if !ok || len(read) != len(written) {
			return at
		}
		for i, v := range written {
			inner := &openapi3.Schema{}
			if s.Items != nil {
				inner = s.Items.Value
			}
			if where := lost(at+"/"+strconv.Itoa(i), inner, v, read[i]); where != "" {
				return where
			}
		}
		return ""
	}
	if fmt.Sprint(written) != fmt.Sprint(read) {
		return fmt.Sprintf("%s (wrote %v, read %v)", at, written, read)
	}
	return ""
}
