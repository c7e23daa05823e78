package shape

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// NewText, NewInteger and NewBoolean are shapes for arguments that no document
// describes.
func NewText(text string, maxLength int) *Shape {
	s := fresh()
	s.Kind, s.Text, s.MinLength, s.MaxLength = String, text, 1, maxLength
	return s
}

// NewChoice is one of the given words.
func NewChoice(text string, words ...string) *Shape {
	s := fresh()
	s.Kind, s.Text = String, text
	for _, word := range words {
		s.Enum = append(s.Enum, word)
	}
	return s
}

// NewMatching is a text of a form that JavaScript and Go both understand.
func NewMatching(text, pattern string) *Shape {
	s := fresh()
	s.Kind, s.Text = String, text
	s.Patterns = []Pattern{{Source: pattern, Re: regexp.MustCompile(pattern)}}
	return s
}

// NewInteger is an integer from low to high. The ends of int64 mean no limit.
func NewInteger(text string, low, high int64) *Shape {
	s := fresh()
	s.Kind, s.Text = Integer, text
	if low != math.MinInt64 {
		s.Min = &Bound{Value: float64(low)}
	}
	if high != math.MaxInt64 {
		s.Max = &Bound{Value: float64(high)}
	} else if low != math.MinInt64 {
		s.Format = "int64"
	}
	return s
}

// NewBoolean is true or false.
func NewBoolean(text string) *Shape {
	s := fresh()
	s.Kind, s.Text = Boolean, text
	return s
}

// NewObject is a closed object of the given properties.
func NewObject(props ...Prop) *Shape {
	s := fresh()
	s.Kind, s.Props, s.Extra = Object, sorted(props), Extra{Closed: true, Stated: true}
	return s
}

// NewUnion is a choice without a discriminator.
func NewUnion(shapes ...*Shape) *Shape {
	s := fresh()
	s.Union = &Union{}
	for _, one := range shapes {
		s.Union.Branches = append(s.Union.Branches, Branch{Name: one.Name, Shape: one})
	}
	return s
}

// Open is a copy of an object that allows further fields.
func (s *Shape) Open() *Shape {
	out := *s
	out.Extra = Extra{}
	return &out
}

// With is the shape with more properties in each of its branches, closed: the
// flat input of parameters and body. adjust, where given, may change the shape's
// own properties.
func (s *Shape) With(more []Prop, adjust func(Prop) Prop) *Shape {
	return s.with(more, adjust, map[*Shape]*Shape{})
}

func (s *Shape) with(more []Prop, adjust func(Prop) Prop, made map[*Shape]*Shape) *Shape {
	if out, ok := made[s]; ok {
		return out
	}
	out := *s
	out.Nullable = false
	made[s] = &out
	if s.Union != nil {
		union := *s.Union
		union.Branches = slices.Clone(union.Branches)
		for i, b := range union.Branches {
			union.Branches[i].Shape = b.Shape.with(more, adjust, made)
		}
		out.Union = &union
		return &out
	}
	out.Props = slices.Clone(s.Props)
	for i, p := range out.Props {
		if adjust != nil {
			out.Props[i] = adjust(p)
		}
	}
	out.Props = sorted(append(out.Props, more...))
	out.Extra = Extra{Closed: true, Stated: true}
	return &out
}

// Briefly is a scalar as a list tells it: its kind and these words.
func (s *Shape) Briefly(text string) *Shape {
	out := fresh()
	out.Kind, out.Text = s.Kind, text
	return out
}

// Group is an object some of whose properties stand in an object of their own.
func (s *Shape) Group(name string, inside []string) *Shape {
	if len(inside) == 0 {
		return s
	}
	out, group := *s, NewObject()
	out.Props = nil
	for _, p := range s.Props {
		if slices.Contains(inside, p.Name) {
			group.Props = append(group.Props, p)
		} else {
			out.Props = append(out.Props, p)
		}
	}
	group.Keys = true
	out.Props = sorted(append(out.Props, Prop{Name: name, Shape: group}))
	return &out
}

// Fields are the names of all properties that the shape's objects may have.
func (s *Shape) Fields() []string {
	var out []string
	for _, leaf := range s.objects() {
		for _, p := range leaf.Props {
			out = append(out, p.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Flat reports whether the shape is an object, or a choice of objects, whose
// fields are all known: only then can they be arguments of their own.
func (s *Shape) Flat() bool {
	for _, leaf := range s.Leaves() {
		free := leaf.Extra.Stated && !leaf.Extra.Closed
		if leaf.Kind != Object || free || len(leaf.Props) == 0 && !leaf.Extra.Closed {
			return false
		}
	}
	return true
}

func sorted(props []Prop) []Prop {
	props = slices.Clone(props)
	slices.SortStableFunc(props, func(a, b Prop) int { return strings.Compare(a.Name, b.Name) })
	return props
}
