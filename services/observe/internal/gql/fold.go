package gql

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/vektah/gqlparser/v2/ast"
)

// kinds are the words of the schema language for kinds of types.
var kinds = map[ast.DefinitionKind]string{
	ast.Object: "type", ast.InputObject: "input", ast.Enum: "enum", ast.Scalar: "scalar", ast.Interface: "interface", ast.Union: "union",
}

func writeType(b *strings.Builder, d *ast.Definition) {
	fmt.Fprintf(b, "%s %s", kinds[d.Kind], d.Name)
	switch d.Kind {
	case ast.Scalar:
		writeRemark(b, d.Description, nil)
		return
	case ast.Union:
		fmt.Fprintf(b, " = %s\n", strings.Join(d.Types, " | "))
		return
	case ast.Enum:
		fmt.Fprintf(b, " { %s }\n", strings.Join(enumWords(d), " "))
		return
	}
	b.WriteString(" {")
	writeRemark(b, d.Description, nil)
	if d.Kind == ast.InputObject {
		writeFolded(b, d.Fields)
	} else {
		for _, f := range d.Fields {
			writeField(b, f)
		}
	}
	b.WriteString("}\n")
}

// enumWords tells the values, those of an order (host_ASC host_DESC) in one word.
func enumWords(d *ast.Definition) []string {
	var words []string
	for _, v := range d.EnumValues {
		base, up := strings.CutSuffix(v.Name, "_ASC")
		_, down := strings.CutSuffix(v.Name, "_DESC")
		switch {
		case up && d.EnumValues.ForName(base+"_DESC") != nil:
			words = append(words, base+"_ASC|DESC")
		case down && d.EnumValues.ForName(strings.TrimSuffix(v.Name, "_DESC")+"_ASC") != nil:
		default:
			words = append(words, v.Name)
		}
	}
	return words
}

// writeFolded tells the fields of an input. The operators of a filter (status,
// statusGte, statusIn …) are told on the line of the field that they compare:
// there are ten of each, and written out they would be most of the schema.
func writeFolded(b *strings.Builder, fields ast.FieldList) {
	operators := map[string]map[string][]string{} // field → type → operators
	var lines ast.FieldList
	for _, f := range fields {
		base := comparedBy(fields, f)
		if base == nil {
			lines = append(lines, f)
			continue
		}
		if operators[base.Name] == nil {
			operators[base.Name] = map[string][]string{}
		}
		of := f.Type.String()
		operators[base.Name][of] = append(operators[base.Name][of], strings.TrimPrefix(f.Name, base.Name))
	}
	for _, f := range lines {
		fmt.Fprintf(b, "  %s: %s", f.Name, f.Type)
		byType := operators[f.Name]
		for i, of := range slices.Sorted(maps.Keys(byType)) {
			b.WriteString([]string{"  # or with a suffix: ", "; "}[min(i, 1)])
			b.WriteString(strings.Join(byType[of], " "))
			if of != f.Type.String() {
				fmt.Fprintf(b, " (%s)", of)
			}
		}
		if len(byType) == 0 {
			writeRemark(b, f.Description, nil)
			continue
		}
		b.WriteString("\n")
	}
}

// comparedBy is the field that f is an operator of: the longest other name that
// f's begins with, before a capital letter; nil where there is none.
func comparedBy(fields ast.FieldList, f *ast.FieldDefinition) (base *ast.FieldDefinition) {
	for _, other := range fields {
		rest, ok := strings.CutPrefix(f.Name, other.Name)
		if ok && rest != "" && unicode.IsUpper(rune(rest[0])) && operatorWords[rest] && (base == nil || len(other.Name) > len(base.Name)) {
			base = other
		}
	}
	return base
}

// operatorWords are the operators that the platform documents.
var operatorWords = map[string]bool{
	"Eq": true, "Ne": true, "In": true, "NotIn": true, "IsNull": true, "Like": true, "Ilike": true,
	"Lt": true, "Lte": true, "Gt": true, "Gte": true, "Range": true,
}
