// Package shape owns what a schema means: an OpenAPI schema is read once into a
// graph of Shapes, in which references are pointers (so recursion is a cycle),
// allOf is merged and alternatives are lists of branches. From that one graph
// come the complete check of a value, the schema that clients are shown and the
// complete schema. It knows nothing of operations, tools or files.
//
// Three readings differ from the letter of JSON Schema, because documents made
// by generators mean them:
//
//   - additionalProperties: false closes the merged object, not each part of an
//     allOf or each branch of a oneOf on its own.
//   - An input object that names properties and is silent about additional ones
//     is closed, so that a misspelt field is named instead of being dropped by
//     the platform. One that names none is open.
//   - oneOf accepts a value that fits several branches.
//
// Not checked (the platform stays their judge): not, if/then/else, contains,
// prefixItems, patternProperties, propertyNames, dependent*, and patterns that
// Go's regular expressions cannot say.
package shape

import "regexp"

// Kind is the one type that a shape's values have.
type Kind uint8

const (
	Any Kind = iota
	Object
	Array
	String
	Integer
	Number
	Boolean
)

// Shape is one schema. It is read-only once Builder.Finish has returned.
type Shape struct {
	Kind     Kind
	Nullable bool // the document says that null is a value
	Name     string
	Title    string
	Text     string // description
	Format   string
	Enum     []any // canonical: string, bool, json.Number
	Default  any
	Example  any // how a value looks; see Builder.example

	Patterns             []Pattern
	MinLength, MaxLength int // MaxLength < 0: no limit
	Min, Max             *Bound
	MultipleOf           float64 // 0: none

	Items              *Shape
	MinItems, MaxItems int // MaxItems < 0: no limit
	Unique             bool

	Props              []Prop // by name
	Extra              Extra
	ReadOnly           []string // named by the document, but not for this direction
	Masked             []string // of those, secrets that an answer should not have: masked, should one come
	MinProps, MaxProps int      // MaxProps < 0: no limit
	Keys               bool     // a list of optional values to choose from: told by its keys alone

	// Union, where set, is all that counts beside Nullable, Name, Title, Text and
	// the marks: everything else stands in the branches.
	Union *Union

	Secret    bool
	Once      bool // a secret that the platform shows this one time; Secret is set, too
	Address   bool // a URL in which there may be a secret
	Untrusted bool
	Names     *Name // the value is the id of a root resource; nil: it is not
}

// Name says which kind of root resource a value is the id of, and when: where
// Field is set, only if the nearest object around it that has this field has one
// of Values there.
type Name struct {
	Kind   string
	Field  string
	Values []string
	All    bool // none given means all of the kind
}

// Prop is a named property.
type Prop struct {
	Name     string
	Shape    *Shape
	Required bool
}

// Extra is what an object allows beside its named properties.
type Extra struct {
	Closed bool
	Shape  *Shape // nil: anything, unless Closed
	Stated bool   // the document says so itself
}

// Bound is a limit of a number.
type Bound struct {
	Value     float64
	Exclusive bool
}

// Pattern is a regular expression; Re is nil where Go cannot say it.
type Pattern struct {
	Source string
	Re     *regexp.Regexp
}

// shared reports whether Go and JavaScript both take the pattern, and mean the
// same: only then may clients see it.
func (p Pattern) shared() bool {
	return p.Re != nil && !goOnly.MatchString(p.Source)
}

var goOnly = regexp.MustCompile(`\(\?[^:]|\\[AzQECpPa]|\[\[:`)

// Union is a choice of branches.
type Union struct {
	Tag      string // the property that tells the branch; "" where there is none
	Branches []Branch
}

// Branch is one alternative, with the tag's values that choose it.
type Branch struct {
	Name   string // the branch's schema, as the document calls it; "" for a nameless one
	Shape  *Shape
	Values []string
}

func fresh() *Shape { return &Shape{MaxLength: -1, MaxItems: -1, MaxProps: -1} }

// Prop finds a property by name.
func (s *Shape) Prop(name string) (Prop, bool) {
	for _, p := range s.Props {
		if p.Name == name {
			return p, true
		}
	}
	return Prop{}, false
}

// AcceptsNull reports whether the document calls null one of the values.
func (s *Shape) AcceptsNull() bool { return s.Nullable }

// free reports that the document says nothing at all about the value.
func (s *Shape) free() bool { return s.Kind == Any && s.Union == nil && s.Enum == nil }

// Leaves are the shapes without alternatives that a value may have: the shape
// itself, or the branches of its branches, each once.
func (s *Shape) Leaves() []*Shape {
	if s.Union == nil {
		return []*Shape{s}
	}
	var out []*Shape
	seen := map[*Shape]bool{}
	var walk func(s *Shape)
	walk = func(s *Shape) {
		if seen[s] {
			return
		}
		if seen[s] = true; s.Union == nil {
			out = append(out, s)
			return
		}
		for _, b := range s.Union.Branches {
			walk(b.Shape)
		}
	}
	walk(s)
	return out
}
