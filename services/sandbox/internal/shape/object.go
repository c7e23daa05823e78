package shape

import (
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// object is what a schema says of one object: its properties through allOf, and
// through those branches of oneOf and anyOf that the object itself takes.
type object struct {
	properties map[string]*openapi3.Schema
	required   []string
	// open objects may hold properties beyond the named ones, of schema other (nil: anything).
	open  bool
	other *openapi3.Schema
}

// lookAt reads s for the object v.
func lookAt(s *openapi3.Schema, v map[string]any) object {
	o := object{properties: map[string]*openapi3.Schema{}, open: true}
	o.add(s, v, maxDepth)
	if len(o.properties) > 0 && o.other == nil && !saysOpen(s) {
		o.open = false
	}
	return o
}

// saysOpen reports whether the schema welcomes unknown properties in so many words.
func saysOpen(s *openapi3.Schema) bool {
	return anyLayer(s, func(l *openapi3.Schema) bool {
		has := l.AdditionalProperties.Has
		return has != nil && *has
	})
}

func (o *object) add(s *openapi3.Schema, v map[string]any, depth int) {
	if s == nil || depth == 0 {
		return
	}
	for name, ref := range s.Properties {
		if _, taken := o.properties[name]; !taken {
			o.properties[name] = ref.Value
		}
	}
	o.required = append(o.required, s.Required...)
	if has := s.AdditionalProperties.Has; has != nil && !*has {
		o.open = false
	}
	if ref := s.AdditionalProperties.Schema; ref != nil {
		o.other = ref.Value
	}
	for _, part := range s.AllOf {
		o.add(part.Value, v, depth-1)
	}
	o.add(branch(s, s.OneOf, v), v, depth-1)
	o.add(branch(s, s.AnyOf, v), v, depth-1)
}

// branch picks the alternative that v takes: the discriminator's, else the first
// that v fits, else the one that shares most property names with v.
func branch(s *openapi3.Schema, refs openapi3.SchemaRefs, v map[string]any) *openapi3.Schema {
	if len(refs) == 0 {
		return nil
	}
	if chosen := discriminated(s, refs, v); chosen != nil {
		return chosen
	}
	best, most := refs[0].Value, -1
	for _, ref := range refs {
		if ref.Value.IsMatching(v) {
			return ref.Value
		}
		shared := 0
		for name := range v {
			if Property(ref.Value, name) != nil {
				shared++
			}
		}
		if shared > most {
			best, most = ref.Value, shared
		}
	}
	return best
}

func discriminated(s *openapi3.Schema, refs openapi3.SchemaRefs, v map[string]any) *openapi3.Schema {
	if s.Discriminator == nil {
		return nil
	}
	said, _ := v[s.Discriminator.PropertyName].(string)
	target, ok := s.Discriminator.Mapping[said]
	if !ok {
		return nil
	}
	i := slices.IndexFunc(refs, func(r *openapi3.SchemaRef) bool {
		return r.Ref == target.Ref || r.Ref == "#/components/schemas/"+target.Ref
	})
	if i < 0 {
		return nil
	}
	return refs[i].Value
}

// Names are the properties that s can have, whatever branch is taken, sorted.
func Names(s *openapi3.Schema) []string {
	names := map[string]bool{}
	collectNames(s, names, maxDepth)
	return slices.Sorted(maps.Keys(names))
}

func collectNames(s *openapi3.Schema, into map[string]bool, depth int) {
	if s == nil || depth == 0 {
		return
	}
	for name := range s.Properties {
		into[name] = true
	}
	for _, ref := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
		collectNames(ref.Value, into, depth-1)
	}
}
