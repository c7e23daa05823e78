package shape

import (
	"encoding/json"
	"slices"
)

// Listing is how a schema is shown to clients.
type Listing struct {
	Answer bool                   // an answer's schema: nothing is promised that may change
	Tail   []Prop                 // properties that follow the shape's own: the common arguments
	Needs  func(name string) bool // of the required properties, those that are said to be; nil: all
	Loose  Paths                  // of an answer: places where the host puts something else
	Budget int                    // bytes; deeper parts are told compactly until it fits
	Lines  bool                   // what is inside a property is always told in a line
	// Partial: what is left out stays as it is, so that no default may be promised.
	Partial bool
	// Elsewhere says where an argument's line stands in full, in a list that has it
	// already; "" where it stands nowhere. nil: nowhere.
	Elsewhere func(argument, line string) string
}

// detail is how much of a schema is told. Lists are read by models that pay for
// every word, so that lengths, bounds and patterns are left to the check, which
// names them to whoever goes past one. A small schema keeps its depth; of a larger
// one what is inside an argument is told in one line (see notation), with fewer
// and fewer words.
type detail struct {
	depth int // of objects that are told as schemas; deeper ones are lines
	words int // characters of an argument's description
	inner int // characters of a field's text in a line
	line  int // characters of a line
}

var details = []detail{
	{depth: 8, words: 200, line: 900},
	{depth: 0, words: 200, inner: 160, line: 900},
	{depth: 0, words: 160, inner: 100, line: 800},
	{depth: 0, words: 120, inner: 50, line: 700},
	{depth: 0, words: 120, line: 600},
	{depth: 0, words: 90, line: 300},
	{depth: 0, words: 60, line: 120},
}

// maxNodes bounds one attempt at a listing, whatever the schema shares.
const maxNodes = 4_000

// leastNode is the fewest bytes that a shape adds to a listing: "a":{}. An attempt
// that has more of them than the budget can hold is given up at once.
const leastNode = 6

// Listed renders an object's schema for tools/list: one type each, no $ref, no
// oneOf/anyOf/allOf at the root, arrays with items, objects with properties.
// complete says that it tells all that is checked, but for unknown arguments.
func (s *Shape) Listed(l Listing) (raw json.RawMessage, complete bool) {
	for i, d := range details {
		if l.Lines && d.depth > 0 {
			continue
		}
		last := i == len(details)-1
		r := renderer{listing: l, detail: d, last: last, left: maxNodes, complete: true, on: map[*Shape]bool{}, made: map[string]*Shape{}, lines: map[*Shape]string{}}
		if !last {
			r.left = min(maxNodes, l.Budget/leastNode)
		}
		raw = write(nil, r.root(s))
		fits := len(raw) <= l.Budget && r.left > 0
		if fits || last {
			return raw, r.complete
		}
	}
	return raw, false
}

type renderer struct {
	listing  Listing
	detail   detail
	last     bool // the attempt that is taken whatever its size
	left     int
	complete bool
	on       map[*Shape]bool   // shapes being rendered: meeting one again is recursion
	made     map[string]*Shape // shapes made by merging branches, see mix
	lines    map[*Shape]string // the lines told so far: large documents share their shapes
}

func (r *renderer) line(s *Shape) string {
	told, ok := r.lines[s]
	if !ok {
		told = s.line(r.detail, r.listing.Answer)
		r.lines[s] = told
	}
	return told
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
	// The check refuses unknown arguments by name; the list need not say so each time.
	r.properties(out, append(v.props, r.listing.Tail...), "", 0)
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
			needed := p.Required && (depth > 0 || r.listing.Needs == nil || r.listing.Needs(p.Name))
			if needed != first {
				continue
			}
			fields.set(p.Name, r.render(p.Shape, Join(path, p.Name), depth+1, !p.Required))
			if needed {
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
	if r.left--; r.left <= 0 && !r.last {
		return &object{} // the attempt has failed; nobody sees what it makes
	}
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
		if r.on[s] || r.left <= 0 || s.Keys || depth > r.detail.depth && s.nests() {
			return r.compact(s, s, path, depth, null)
		}
		r.on[s] = true
		defer delete(r.on, s)
		return r.compound(s, path, depth, null)
	}
	return r.scalar(s, path, depth, null)
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
		r.complete = r.complete && !s.limited()
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

// compact tells an object or array in one line, beside what clients want to see
// of every schema. told is how it is headed: a choice is told as one object.
func (r *renderer) compact(s, told *Shape, path string, depth int, null bool) *object {
	r.complete = false
	out := &object{}
	note, example := "", ""
	if at := r.elsewhere(s, path, depth); at != "" && !r.on[s] {
		out.set("type", told.Kind.word())
		out.describe(at)
		r.bones(out, told)
		return out
	}
	switch {
	case r.on[s] && s.Name != "":
		note = "Again the fields of " + s.Name
	case r.on[s]:
		note = "Again the fields of the object that it is in"
	default:
		note, example = r.line(s), r.example(s)
	}
	r.head(out, told.Kind.word(), told, null, note, example)
	r.bones(out, told)
	return out
}

// bones are what clients refuse to do without: properties, and items of a type.
func (r *renderer) bones(out *object, s *Shape) {
	switch s.Kind {
	case Object:
		out.set("properties", &object{})
	case Array:
		out.set("items", r.bare(s.Items))
	}
}

// bare is the least that can be said of a shape without refusing any of its values.
func (r *renderer) bare(s *Shape) *object {
	if s == nil || s.free() || r.left < 0 {
		return textItems()
	}
	r.left--
	var options []any
	for _, g := range s.groups() {
		if g[0].Kind == Any {
			return textItems()
		}
		one := &object{}
		one.set("type", g[0].Kind.word())
		r.bones(one, g[0])
		options = append(options, one)
	}
	if len(options) == 1 {
		return options[0].(*object)
	}
	out := &object{}
	out.set("anyOf", options)
	return out
}

// manyValues is how many allowed values a list names one by one.
const manyValues = 24

func (r *renderer) example(s *Shape) string {
	if s.Example == nil || r.listing.Answer {
		return ""
	}
	return "E.g. " + flow(s.Example)
}

func textItems() *object {
	out := &object{}
	out.set("type", "string")
	return out
}

func (r *renderer) scalar(s *Shape, path string, depth int, null bool) *object {
	out := &object{}
	if r.known(s, path, depth) {
		mute := *s
		mute.Text, mute.Default, mute.Enum, mute.Nullable, s = "", nil, nil, false, &mute
		r.complete = false
	}
	values, words := s.choices()
	if len(s.Enum) > manyValues {
		values, words = nil, "One of "+told(s.Enum)
	}
	r.head(out, s.Kind.word(), s, null, sentence(formatName(s.Format), words))
	if values != nil {
		out.set("enum", values)
	}
	r.complete = r.complete && words == ""
	if s.Format == "date-time" {
		out.set("format", s.Format)
	}
	if r.listing.Partial {
		r.complete = false
	} else if s.Default != nil && (s.Enum == nil || containsValue(s.Enum, s.Default)) {
		out.set("default", s.Default)
	}
	r.complete = r.complete && !s.limited()
	return out
}

// limited reports limits that a list leaves to the check.
func (s *Shape) limited() bool {
	return s.Min != nil || s.Max != nil || s.MultipleOf > 0 || s.MinLength > 0 || s.MaxLength >= 0 ||
		len(s.Patterns) > 0 || s.MinItems > 0 || s.MaxItems >= 0 || s.Unique
}

// head writes type and description. An answer's value that may be null has no
// type: what clients and strict validators both accept, and properties and items
// still tell the rest.
func (r *renderer) head(out *object, kind string, s *Shape, null bool, notes ...string) {
	words := append([]string{shorten(s.Text, r.detail.words)}, notes...)
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
