package everytool

import (
	"github.com/getkin/kin-openapi/openapi3"
)

// reading is a mistake that the public document makes in many places. As it stands,
// no value at all would pass there, the document's own examples included.
type reading struct {
	why  string
	mend func(name string, s *openapi3.Schema) bool
}

// readings are the same that publicapi compares by.
var readings = []reading{
	{
		"additionalProperties: false beside alternatives refuses the fields of each of them",
		func(_ string, s *openapi3.Schema) bool {
			if len(s.OneOf)+len(s.AnyOf) == 0 || len(s.Properties) > 0 || !closed(s) {
				return false
			}
			s.AdditionalProperties = openapi3.AdditionalProperties{}
			return true
		},
	},
	{
		"the type beside allOf with one part is object, whatever the part is",
		func(_ string, s *openapi3.Schema) bool {
			if len(s.AllOf) != 1 || s.Type == nil {
				return false
			}
			s.Type = nil
			return true
		},
	},
	{
		"parts that allOf joins refuse each other's fields",
		func(_ string, s *openapi3.Schema) bool {
			if len(s.AllOf) < 2 {
				return false
			}
			joined := &openapi3.Schema{Type: &openapi3.Types{"object"}, Properties: openapi3.Schemas{}}
			for _, part := range s.AllOf {
				for name, p := range part.Value.Properties {
					joined.Properties[name] = p
				}
				joined.Required = append(joined.Required, part.Value.Required...)
			}
			s.AllOf, s.Type, s.Properties, s.Required = nil, joined.Type, joined.Properties, append(s.Required, joined.Required...)
			s.AdditionalProperties = openapi3.AdditionalProperties{}
			return true
		},
	},
	{
		"the enum of variables spells $(uri) where the prose, every example and the platform say ${uri}",
		func(name string, s *openapi3.Schema) bool {
			if name != "variable" || len(s.Enum) == 0 {
				return false
			}
			s.Enum, s.Pattern = nil, ""
			return true
		},
	},
}

func closed(s *openapi3.Schema) bool {
	has := s.AdditionalProperties.Has
	return has != nil && !*has
}

// mended reads a document with all readings, and counts where each was needed.
func mended(spec *openapi3.T) []int {
	counts := make([]int, len(readings))
	m := mender{seen: map[*openapi3.Schema]bool{}, counts: counts}
	for _, item := range spec.Paths.Map() {
		for _, op := range item.Operations() {
			for _, p := range op.Parameters {
				m.ref("", p.Value.Schema)
			}
			if op.RequestBody != nil {
				m.content(op.RequestBody.Value.Content)
			}
			for _, r := range op.Responses.Map() {
				m.content(r.Value.Content)
			}
		}
	}
	return counts
}

type mender struct {
	seen   map[*openapi3.Schema]bool
	counts []int
}

func (m mender) content(c openapi3.Content) {
	for _, media := range c {
		m.ref("", media.Schema)
	}
}

func (m mender) ref(name string, ref *openapi3.SchemaRef) {
	if ref == nil || ref.Value == nil || m.seen[ref.Value] {
		return
	}
	s := ref.Value
	m.seen[s] = true
	for _, refs := range []openapi3.SchemaRefs{s.AllOf, s.OneOf, s.AnyOf} {
		for _, part := range refs {
			m.ref(name, part)
		}
	}
	for i, r := range readings {
		if r.mend(name, s) {
			m.counts[i]++
		}
	}
	for field, p := range s.Properties {
		m.ref(field, p)
	}
	m.ref(name, s.Items)
	m.ref(name, s.AdditionalProperties.Schema)
}
