package shape

import (
	"encoding/json"
	"strconv"
)

// Full renders the complete schema as JSON Schema 2020-12: what it accepts is
// what Check accepts, coercions aside. Shared and recursive objects stand in
// $defs, so that it is as large as the document and no larger.
func (s *Shape) Full(tail []Prop) json.RawMessage {
	f := fuller{uses: map[*Shape]int{}, names: map[*Shape]string{}, taken: map[string]bool{}, defs: &object{}}
	f.count(s)
	for _, p := range tail {
		f.count(p.Shape)
	}
	f.uses[s] = 0 // the root stands at the root
	if f.recursive(s) {
		f.uses[s] = 2
	}
	root := f.body(s)
	if len(tail) > 0 {
		root = f.with(s, tail)
	}
	if len(f.defs.members) > 0 {
		root.set("$defs", f.defs)
	}
	return write(nil, root)
}

type fuller struct {
	uses  map[*Shape]int
	names map[*Shape]string
	taken map[string]bool
	defs  *object
}

// count finds what is used more than once, recursion included.
func (f *fuller) count(s *Shape) {
	if f.uses[s]++; f.uses[s] > 1 {
		return
	}
	for _, next := range s.next() {
		f.count(next)
	}
}

func (f *fuller) recursive(root *Shape) bool {
	seen := map[*Shape]bool{}
	var walk func(s *Shape) bool
	walk = func(s *Shape) bool {
		for _, next := range s.next() {
			if next == root {
				return true
			}
			if !seen[next] {
				if seen[next] = true; walk(next) {
					return true
				}
			}
		}
		return false
	}
	return walk(root)
}

// next are the shapes that s is made of.
func (s *Shape) next() []*Shape {
	var out []*Shape
	if s.Union != nil {
		for _, b := range s.Union.Branches {
			out = append(out, b.Shape)
		}
		return out
	}
	for _, p := range s.Props {
		out = append(out, p.Shape)
	}
	if s.Extra.Shape != nil {
		out = append(out, s.Extra.Shape)
	}
	if s.Items != nil {
		out = append(out, s.Items)
	}
	return out
}

// refer gives a shape in place, or by reference where it is used again.
func (f *fuller) refer(s *Shape) *object {
	if f.uses[s] < 2 || len(s.next()) == 0 {
		return f.body(s)
	}
	name, known := f.names[s]
	if !known {
		name = f.name(s)
		f.names[s] = name
		slot := len(f.defs.members)
		f.defs.set(name, nil)
		f.defs.members[slot].value = f.body(s)
	}
	out := &object{}
	out.set("$ref", "#/$defs/"+name)
	return out
}

func (f *fuller) name(s *Shape) string {
	base := ""
	for _, c := range s.Name {
		if c == '_' || c == '-' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
			base += string(c)
		}
	}
	if base == "" {
		base = "part"
	}
	name := base
	for i := 2; f.taken[name]; i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	f.taken[name] = true
	return name
}

// with adds the common arguments to every object that the root may be.
func (f *fuller) with(s *Shape, tail []Prop) *object {
	if s.Union == nil {
		wide := *s
		wide.Props = append(append([]Prop{}, s.Props...), tail...)
		return f.body(&wide)
	}
	out := &object{}
	out.set("type", "object")
	var options []any
	for _, leaf := range s.objects() {
		options = append(options, f.with(leaf, tail))
	}
	out.set("anyOf", options)
	return out
}

func (f *fuller) body(s *Shape) *object {
	out := &object{}
	if s.Title != "" {
		out.set("title", s.Title)
	}
	if s.Text != "" {
		out.set("description", s.Text)
	}
	core := out
	if s.Nullable && (s.Union != nil || s.Kind != Any) {
		core = &object{}
		null := &object{}
		null.set("type", "null")
		out.set("anyOf", []any{core, null})
	}
	if s.Union != nil {
		f.union(core, s.Union)
		return out
	}
	if kind := s.Kind.word(); kind != "" {
		core.set("type", kind)
	}
	f.keywords(core, s)
	return out
}

// union keeps anyOf: a value may fit several branches. With a discriminator each
// branch is tied to its values.
func (f *fuller) union(out *object, u *Union) {
	tag, _ := u.tags()
	var options []any
	for _, b := range u.Branches {
		option := f.refer(b.Shape)
		if tag != "" {
			chosen, field, values := &object{}, &object{}, &object{}
			values.set("enum", stringsToAny(b.Values))
			field.set(tag, values)
			chosen.set("properties", field)
			chosen.set("required", []any{tag})
			both := &object{}
			both.set("allOf", []any{option, chosen})
			option = both
		}
		options = append(options, option)
	}
	out.set("anyOf", options)
}

func (f *fuller) keywords(out *object, s *Shape) {
	if s.Enum != nil {
		out.set("enum", s.Enum)
	}
	if s.Format != "" {
		out.set("format", s.Format)
	}
	if s.Default != nil {
		out.set("default", s.Default)
	}
	f.limits(out, s)
	switch s.Kind {
	case Object:
		fields := &object{}
		var required []any
		for _, p := range s.Props {
			fields.set(p.Name, f.refer(p.Shape))
			if p.Required {
				required = append(required, p.Name)
			}
		}
		out.set("properties", fields)
		if len(required) > 0 {
			out.set("required", required)
		}
		if s.Extra.Closed {
			out.set("additionalProperties", false)
		} else if s.Extra.Shape != nil {
			out.set("additionalProperties", f.refer(s.Extra.Shape))
		}
	case Array:
		if s.Items != nil {
			out.set("items", f.refer(s.Items))
		}
	}
}

func (f *fuller) limits(out *object, s *Shape) {
	for _, b := range []struct {
		word, exclusive string
		bound           *Bound
	}{{"minimum", "exclusiveMinimum", s.Min}, {"maximum", "exclusiveMaximum", s.Max}} {
		if b.bound != nil && b.bound.Exclusive {
			out.set(b.exclusive, canonical(b.bound.Value))
		} else if b.bound != nil {
			out.set(b.word, canonical(b.bound.Value))
		}
	}
	if s.MultipleOf > 0 {
		out.set("multipleOf", canonical(s.MultipleOf))
	}
	for _, n := range []struct {
		word  string
		value int
		none  int
	}{
		{"minLength", s.MinLength, 0}, {"maxLength", s.MaxLength, -1},
		{"minItems", s.MinItems, 0}, {"maxItems", s.MaxItems, -1},
		{"minProperties", s.MinProps, 0}, {"maxProperties", s.MaxProps, -1},
	} {
		if n.value > n.none {
			out.set(n.word, n.value)
		}
	}
	if s.Unique {
		out.set("uniqueItems", true)
	}
	var patterns []any
	for _, p := range s.Patterns {
		if p.shared() {
			one := &object{}
			one.set("pattern", p.Source)
			patterns = append(patterns, one)
		}
	}
	switch len(patterns) {
	case 0:
	case 1:
		out.members = append(out.members, patterns[0].(*object).members...)
	default:
		out.set("allOf", patterns)
	}
}
