package shape

import (
	"encoding/json"
	"math"
	"slices"
)

// Listing is how a schema is shown to clients.
type Listing struct {
	Answer bool   // an answer's schema: nothing is promised that may change
	Tail   []Prop // properties that follow the shape's own: the common arguments
	Loose  Paths  // of an answer: places where the host puts something else
	Budget int    // bytes; deeper parts are told compactly until it fits
}

// detail is how much of a schema is told. Lists are read by models that pay for
// every word, so a large schema loses its depth first and its sentences next.
type detail struct{ depth, words int }

var details = []detail{{8, 240}, {6, 180}, {5, 140}, {4, 110}, {3, 90}, {2, 70}, {1, 50}}

// maxNodes bounds one attempt at a listing, whatever the schema shares.
const maxNodes = 4_000

// Listed renders an object's schema for tools/list: one type each, no $ref, no
// oneOf/anyOf/allOf at the root, arrays with items, objects with properties.
// complete says that it tells all that is checked.
func (s *Shape) Listed(l Listing) (raw json.RawMessage, complete bool) {
	for i, d := range details {
		r := renderer{listing: l, detail: d, left: maxNodes, complete: true, on: map[*Shape]bool{}, made: map[string]*Shape{}}
		raw = write(nil, r.root(s))
		fits := len(raw) <= l.Budget && r.left > 0
		if fits || i == len(details)-1 {
			return raw, r.complete
		}
	}
	return raw, false
}

type renderer struct {
	listing  Listing
	detail   detail
	left     int
	complete bool
	on       map[*Shape]bool   // shapes being rendered: meeting one again is recursion
	made     map[string]*Shape // shapes made by merging branches, see mix
}

// root is always an object with properties, whatever its branches are.
func (r *renderer) root(s *Shape) *object {
	r.on[s] = true
	v := r.merged(s.objects(), s.Union)
	if s.Union != nil {
		r.complete = false
	}
	out := &object{}
	out.set("type", "object")
	out.describe(v.note)
	r.properties(out, append(v.props, r.listing.Tail...), "", 0)
	if !r.listing.Answer {
		out.set("additionalProperties", false)
	}
	return out
}

func (s *Shape) objects() []*Shape {
	return slices.DeleteFunc(s.Leaves(), func(leaf *Shape) bool { return leaf.Kind != Object })
}

// properties writes properties and required; required ones come first.
func (r *renderer) properties(out *object, props []Prop, path string, depth int) {
	fields := &object{}
	var required []any
	for _, first := range []bool{true, false} {
		for _, p := range props {
			if p.Required != first {
				continue
			}
			fields.set(p.Name, r.render(p.Shape, Join(path, p.Name), depth+1, !p.Required))
			if p.Required {
				required = append(required, p.Name)
			}
		}
	}
	out.set("properties", fields)
	if len(required) > 0 && !r.listing.Answer {
		out.set("required", required)
	}
}

// render tells one shape. optional matters to answers: what may be missing may
// be null as well.
func (r *renderer) render(s *Shape, path string, depth int, optional bool) *object {
	r.left--
	null := r.listing.Answer && (optional || s.AcceptsNull())
	if r.listing.Answer && r.listing.Loose.Match(path) {
		return r.loose(s)
	}
	if s.AcceptsNull() || s.Format != "" && s.Format != "date-time" {
		r.complete = false
	}
	if s.Union != nil {
		return r.union(s, path, depth, null)
	}
	if s.Kind == Object || s.Kind == Array {
		if r.on[s] || r.left <= 0 || depth > r.detail.depth && s.nests() {
			return r.compact(s, null)
		}
		r.on[s] = true
		defer delete(r.on, s)
		return r.compound(s, path, depth, null)
	}
	return r.scalar(s, null)
}

// nests reports whether there is anything to leave out.
func (s *Shape) nests() bool {
	switch {
	case s.Kind == Object:
		return len(s.Props) > 0 || s.Extra.Shape != nil
	case s.Items == nil:
		return false
	}
	return s.Items.Union != nil || s.Items.Kind == Object || s.Items.Kind == Array
}

func (r *renderer) compound(s *Shape, path string, depth int, null bool) *object {
	out := &object{}
	if s.Kind == Array && r.listing.Answer && (s.Items == nil || s.Items.free()) {
		// No element type can be promised, and clients refuse an array without one.
		r.head(out, "", s, null, "An array of any values")
		return out
	}
	if s.Kind == Array {
		r.head(out, "array", s, null, "")
		out.set("items", r.item(s, path, depth))
		if s.MinItems > 0 {
			out.set("minItems", s.MinItems)
		}
		if s.MaxItems >= 0 {
			out.set("maxItems", s.MaxItems)
		}
		r.complete = r.complete && !s.Unique
		return out
	}
	r.head(out, "object", s, null, "")
	r.properties(out, s.Props, path, depth)
	if s.Extra.Shape != nil && !s.Extra.Shape.free() {
		out.set("additionalProperties", r.render(s.Extra.Shape, Join(path, "*"), depth+1, false))
	}
	return out
}

// item: clients refuse an array whose elements have no type, so that one whose
// document is silent is told as texts. The check accepts anything there.
func (r *renderer) item(s *Shape, path string, depth int) *object {
	if s.Items != nil && !s.Items.free() {
		return r.render(s.Items, path+"[]", depth+1, false)
	}
	r.complete = false
	return textItems()
}

// compact tells an object or array by its fields' names only.
func (r *renderer) compact(s *Shape, null bool) *object {
	r.complete = false
	out := &object{}
	if s.Kind == Array {
		r.head(out, "array", s, null, "")
		items := &object{}
		items.set("type", "object")
		items.set("properties", &object{})
		if s.Items != nil && s.Items.Union == nil && s.Items.Kind != Object {
			items = &object{}
			items.set("type", max(s.Items.Kind.word(), "string"))
			if s.Items.Kind == Array {
				items.set("items", textItems())
			}
		}
		out.set("items", items)
		return out
	}
	note := ""
	switch {
	case r.on[s] && s.Name != "":
		note = "Again the fields of " + s.Name
	case r.on[s]:
		note = "Again the fields of the object that it is in"
	case len(s.Props) > 0:
		note = "Fields: " + fieldList(s.Props)
	}
	r.head(out, "object", s, null, note)
	out.set("properties", &object{})
	return out
}

func textItems() *object {
	out := &object{}
	out.set("type", "string")
	return out
}

func (r *renderer) scalar(s *Shape, null bool) *object {
	out := &object{}
	values, words := s.choices()
	r.head(out, s.Kind.word(), s, null, sentence(formatName(s.Format), words))
	if values != nil {
		out.set("enum", values)
	}
	r.complete = r.complete && words == ""
	if s.Format == "date-time" {
		out.set("format", s.Format)
	}
	if s.Default != nil && s.Enum == nil || containsValue(s.Enum, s.Default) {
		out.set("default", s.Default)
	}
	r.limits(out, s)
	return out
}

// limits leaves out what says nothing (an int64's own range, any text).
func (r *renderer) limits(out *object, s *Shape) {
	for _, b := range []struct {
		word, exclusive string
		bound           *Bound
	}{{"minimum", "exclusiveMinimum", s.Min}, {"maximum", "exclusiveMaximum", s.Max}} {
		switch {
		case b.bound == nil:
		case math.Abs(b.bound.Value) >= 1<<53:
			r.complete = false
		case b.bound.Exclusive:
			out.set(b.exclusive, canonical(b.bound.Value))
		default:
			out.set(b.word, canonical(b.bound.Value))
		}
	}
	if s.MultipleOf > 0 {
		out.set("multipleOf", canonical(s.MultipleOf))
	}
	if s.MinLength > 0 {
		out.set("minLength", s.MinLength)
	}
	if s.MaxLength >= 0 {
		out.set("maxLength", s.MaxLength)
	}
	for i, p := range s.Patterns {
		if i == 0 && p.shared() && !slices.Contains([]string{".*", "^.*$", ".+", "^.+$"}, p.Source) {
			out.set("pattern", p.Source)
		}
		r.complete = r.complete && i == 0 && p.shared()
	}
}

// head writes type and description. An answer's value that may be null has no
// type: what clients and strict validators both accept, and properties and items
// still tell the rest.
func (r *renderer) head(out *object, kind string, s *Shape, null bool, note string) {
	words := []string{shorten(s.Text, r.detail.words), note}
	switch {
	case null && kind != "":
		words = append(words, capital(kind)+" or null")
	case kind != "":
		out.set("type", kind)
		if s.Nullable && !r.listing.Answer {
			words = append(words, "May be null")
		}
	case !r.listing.Answer:
		words = append(words, "Any JSON value")
	}
	out.describe(words...)
}

// loose tells a place of an answer where the host may put something else: what a
// third party wrote is wrapped, a secret is masked.
func (r *renderer) loose(s *Shape) *object {
	out := &object{}
	out.describe(shorten(s.Text, r.detail.words), "Masked or wrapped as untrusted text")
	return out
}

func (k Kind) word() string {
	return [...]string{"", "object", "array", "string", "integer", "number", "boolean"}[k]
}
