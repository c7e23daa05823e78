package reader

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// A schema is told down to this depth and number of fields: deeper ones repeat
// what an operation of their own tells.
const (
	maxDepth  = 6
	maxFields = 200
	maxEnum   = 30
)

// fields lists the fields of a schema.
type fields struct {
	lines []string
	left  int
}

func (f *fields) walk(prefix string, ref *openapi3.SchemaRef, depth int) {
	if ref == nil || ref.Value == nil || depth > maxDepth {
		return
	}
	s := ref.Value
	for _, part := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
		f.walk(prefix, part, depth+1)
	}
	f.walk(prefix+"[]", s.Items, depth+1)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if f.left <= 0 {
			return
		}
		f.left--
		child := s.Properties[name]
		full := strings.TrimPrefix(prefix+"."+name, ".")
		f.lines = append(f.lines, fieldLine(full, child, slices.Contains(s.Required, name)))
		f.walk(full, child, depth+1)
	}
}

func fieldLine(name string, ref *openapi3.SchemaRef, required bool) string {
	l := "- `" + name + "`"
	if ref == nil || ref.Value == nil {
		return l
	}
	s := ref.Value
	if kinds := s.Type.Slice(); len(kinds) > 0 {
		l += " " + strings.Join(kinds, "|")
	}
	if required {
		l += ", required"
	}
	if text := oneLine(s.Description); text != "" {
		l += ": " + text
	} else if s.Title != "" {
		l += ": " + oneLine(s.Title)
	}
	if n := len(s.Enum); n > 0 {
		var values []string
		for _, v := range s.Enum[:min(n, maxEnum)] {
			values = append(values, fmt.Sprint(v))
		}
		l += " One of: " + strings.Join(values, ", ")
	}
	return l
}
