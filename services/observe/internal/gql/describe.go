package gql

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/vektah/gqlparser/v2/ast"
)

// Overview is the data sets of the endpoint with their arguments, one after the
// other; the types that they name are told by Describe.
func (s *Schema) Overview() string {
	var b strings.Builder
	for _, f := range s.dataSets() {
		writeField(&b, f)
	}
	return b.String()
}

// DataSets are the names of the fields that a query can begin with.
func (s *Schema) DataSets() []string {
	var names []string
	for _, f := range s.dataSets() {
		names = append(names, f.Name)
	}
	return names
}

// dataSets are the fields of Query but for those of introspection.
func (s *Schema) dataSets() ast.FieldList {
	return slices.DeleteFunc(slices.Clone(s.types.Query.Fields), func(f *ast.FieldDefinition) bool {
		return strings.HasPrefix(f.Name, "__")
	})
}

// Types are the names of all types that are the endpoint's own.
func (s *Schema) Types() []string {
	var names []string
	for name, d := range s.types.Types {
		if !d.BuiltIn && d != s.types.Query {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Describe tells one type, in the schema language with operators of filters
// folded; false where there is no such type.
func (s *Schema) Describe(name string) (string, bool) {
	d := s.types.Types[name]
	if d == nil || d.BuiltIn {
		return "", false
	}
	var b strings.Builder
	writeType(&b, d)
	return b.String(), true
}

// Nearest are the names that are most like a name, the likest first: at most
// five, and none that is unlike it.
func Nearest(name string, among []string) []string {
	near := map[string]int{}
	for _, candidate := range among {
		distance := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(candidate))
		if distance <= max(len(name)/2, 2) || strings.Contains(strings.ToLower(candidate), strings.ToLower(name)) {
			near[candidate] = distance
		}
	}
	found := slices.SortedFunc(maps.Keys(near), func(a, b string) int {
		return cmp.Or(cmp.Compare(near[a], near[b]), cmp.Compare(a, b))
	})
	return found[:min(len(found), 5)]
}

// Part is the types that belong to some names, of types or data sets, and those
// which these name in turn, as long as they fit into most bytes.
func (s *Schema) Part(most int, names ...string) string {
	var b strings.Builder
	told := map[string]bool{}
	for queue := s.typesOf(names); len(queue) > 0; queue = queue[1:] {
		name := queue[0]
		d := s.types.Types[name]
		if d == nil || d.BuiltIn || told[name] || d == s.types.Query {
			continue
		}
		told[name] = true
		var one strings.Builder
		writeType(&one, d)
		if b.Len()+one.Len() > most {
			continue
		}
		b.WriteString(one.String())
		queue = append(queue, named(d)...)
	}
	return b.String()
}

// typesOf gives the types of data sets, and other names as they are.
func (s *Schema) typesOf(names []string) []string {
	var types []string
	for _, name := range names {
		if f := s.types.Query.Fields.ForName(name); f != nil {
			types = append(types, f.Type.Name())
			for _, a := range f.Arguments {
				types = append(types, a.Type.Name())
			}
			continue
		}
		types = append(types, name)
	}
	return types
}

// named are the types that a type's fields have.
func named(d *ast.Definition) []string {
	var names []string
	for _, f := range d.Fields {
		names = append(names, f.Type.Name())
	}
	return names
}

var word = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

// Mentioned are the types and data sets whose names stand in a text.
func (s *Schema) Mentioned(text string) []string {
	var names []string
	for _, w := range word.FindAllString(text, -1) {
		d := s.types.Types[w]
		isType := d != nil && !d.BuiltIn && d != s.types.Query
		if isType || s.types.Query.Fields.ForName(w) != nil && !strings.HasPrefix(w, "__") {
			names = append(names, w)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func writeField(b *strings.Builder, f *ast.FieldDefinition) {
	fmt.Fprintf(b, "  %s", f.Name)
	for i, a := range f.Arguments {
		b.WriteString([]string{"(", ", "}[min(i, 1)])
		fmt.Fprintf(b, "%s: %s", a.Name, a.Type)
		if a.DefaultValue != nil {
			fmt.Fprintf(b, " = %s", a.DefaultValue)
		}
	}
	if len(f.Arguments) > 0 {
		b.WriteString(")")
	}
	fmt.Fprintf(b, ": %s", f.Type)
	writeRemark(b, f.Description, f.Directives)
}

// writeRemark ends a line with what is said of its subject.
func writeRemark(b *strings.Builder, description string, directives ast.DirectiveList) {
	var remarks []string
	if d := directives.ForName("deprecated"); d != nil {
		remarks = append(remarks, "deprecated")
		if reason := d.Arguments.ForName("reason"); reason != nil && reason.Value.Raw != "" {
			remarks[0] += ": " + reason.Value.Raw
		}
	}
	if description = strings.Join(strings.Fields(description), " "); description != "" {
		remarks = append(remarks, clip(description))
	}
	if len(remarks) > 0 {
		b.WriteString("  # " + strings.Join(remarks, " "))
	}
	b.WriteString("\n")
}

// PartOf tells a data set with the types it leads to; "" where there is none of
// this name.
func (s *Schema) PartOf(dataSet string) string {
	f := s.types.Query.Fields.ForName(dataSet)
	if f == nil || strings.HasPrefix(dataSet, "__") {
		return ""
	}
	const most = 40_000 // bytes; an answer has 60 000 characters
	var b strings.Builder
	writeField(&b, f)
	return b.String() + s.Part(most, dataSet)
}
