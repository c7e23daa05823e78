package shape

import (
	"fmt"
	"slices"
	"strings"
)

// union tells alternatives in a form that clients accept below the root: objects
// become one object with the discriminator as an enum and a sentence on which
// fields go together; different kinds of values stay a plain anyOf.
func (r *renderer) union(s *Shape, path string, depth int, null bool) *object {
	r.complete = false
	groups := s.groups()
	if len(groups) == 1 {
		return r.group(s, groups[0], path, depth, null)
	}
	kinds := make([]string, 0, len(groups))
	for _, g := range groups {
		kinds = append(kinds, g[0].Kind.word())
	}
	out := &object{}
	switch anything := slices.Contains(kinds, ""); {
	case anything:
		out.describe(shorten(s.Text, r.detail.words), "Any JSON value")
	case null:
		out.describe(shorten(s.Text, r.detail.words), capital(strings.Join(kinds, ", "))+" or null")
	default:
		out.describe(shorten(s.Text, r.detail.words))
		var options []any
		for _, g := range groups {
			options = append(options, r.group(&Shape{Union: s.Union}, g, path, depth, false))
		}
		out.set("anyOf", options)
	}
	return out
}

// groups are the leaves by kind, in the document's order.
func (s *Shape) groups() [][]*Shape {
	var out [][]*Shape
	for _, leaf := range s.Leaves() {
		i := slices.IndexFunc(out, func(g []*Shape) bool { return g[0].Kind == leaf.Kind })
		if i < 0 {
			out = append(out, nil)
			i = len(out) - 1
		}
		out[i] = append(out[i], leaf)
	}
	return out
}

// group tells leaves of one kind as one schema.
func (r *renderer) group(s *Shape, leaves []*Shape, path string, depth int, null bool) *object {
	one := r.mix(leaves)
	if one.Kind == Object && len(leaves) > 1 {
		return r.choice(s, leaves, path, depth, null)
	}
	told := *one
	told.Text = s.Text
	told.Nullable = s.Nullable
	if one.Kind == Object || one.Kind == Array {
		if r.on[one] || r.left <= 0 || depth > r.detail.depth && one.nests() {
			return r.compact(one, &told, path, depth, null)
		}
		r.on[one] = true
		defer delete(r.on, one)
		return r.compound(&told, path, depth, null)
	}
	return r.scalar(&told, path, depth, null)
}

// choice tells several objects as one.
func (r *renderer) choice(s *Shape, leaves []*Shape, path string, depth int, null bool) *object {
	view := r.merged(leaves, s.Union)
	told := &Shape{Kind: Object, Text: s.Text, Props: view.props, Nullable: s.Nullable, Name: s.Name}
	if r.on[s] || r.left <= 0 || depth > r.detail.depth {
		return r.compact(s, told, path, depth, null)
	}
	r.on[s] = true
	defer delete(r.on, s)
	out := &object{}
	r.head(out, "object", told, null, view.note)
	r.properties(out, view.props, path, depth)
	return out
}

// mix gives one shape for leaves of one kind other than Object: the limits that
// all share, and all their allowed values. Its identity is that of its leaves.
func (r *renderer) mix(leaves []*Shape) *Shape {
	if len(leaves) == 1 || leaves[0].Kind == Object {
		return leaves[0]
	}
	key := fmt.Sprint("mix", pointers(leaves))
	if s, ok := r.made[key]; ok {
		return s
	}
	s := fresh()
	s.Kind, s.Text = leaves[0].Kind, leaves[0].Text
	limited := !slices.ContainsFunc(leaves, func(l *Shape) bool { return l.Enum == nil })
	var items []Branch
	for _, l := range leaves {
		for _, v := range l.Enum {
			if limited && !containsValue(s.Enum, v) {
				s.Enum = append(s.Enum, v)
			}
		}
		if l.Items != nil && !slices.ContainsFunc(items, func(b Branch) bool { return b.Shape == l.Items }) {
			items = append(items, Branch{Shape: l.Items})
		}
	}
	if s.Kind == Array && len(items) > 0 {
		s.Items = &Shape{Union: &Union{Branches: items}}
	}
	r.made[key] = s
	return s
}

// view is several objects told as one.
type view struct {
	props []Prop
	note  string
}

// merged takes every property of any object; what all of them require is required.
func (r *renderer) merged(leaves []*Shape, union *Union) view {
	if union == nil || len(leaves) == 1 {
		return view{props: leaves[0].Props}
	}
	tag, values := union.tags()
	var out view
	shapes := map[string][]*Shape{}
	required := map[string]int{}
	var order []string
	for _, leaf := range leaves {
		for _, p := range leaf.Props {
			if shapes[p.Name] == nil {
				order = append(order, p.Name)
			}
			if !slices.Contains(shapes[p.Name], p.Shape) {
				shapes[p.Name] = append(shapes[p.Name], p.Shape)
			}
			if p.Required {
				required[p.Name]++
			}
		}
	}
	slices.Sort(order)
	for _, name := range order {
		p := Prop{Name: name, Shape: r.either(shapes[name]), Required: required[name] == len(leaves)}
		if name == tag && !r.listing.Answer {
			p.Required = true
			p.Shape = &Shape{Kind: String, MaxLength: -1, Text: p.Shape.Text, Enum: values}
		}
		out.props = append(out.props, p)
	}
	if !r.listing.Answer { // nobody chooses an answer's fields
		out.note = union.note(r.detail.words)
	}
	return out
}

// either is a property that has another shape in another branch.
func (r *renderer) either(shapes []*Shape) *Shape {
	if len(shapes) == 1 {
		return shapes[0]
	}
	key := fmt.Sprint("either", pointers(shapes))
	if s, ok := r.made[key]; ok {
		return s
	}
	s := &Shape{Union: &Union{}, MaxLength: -1, MaxItems: -1, MaxProps: -1, Text: shapes[0].Text}
	for _, one := range shapes {
		s.Nullable = s.Nullable || one.Nullable
		s.Union.Branches = append(s.Union.Branches, Branch{Name: one.Name, Shape: one})
	}
	r.made[key] = s
	return s
}

func pointers(shapes []*Shape) string {
	var out strings.Builder
	for _, s := range shapes {
		fmt.Fprintf(&out, "%p ", s)
	}
	return out.String()
}

// tags gives the discriminator and all its values, if it always decides.
func (u *Union) tags() (tag string, values []any) {
	for _, b := range u.Branches {
		if len(b.Values) == 0 {
			return "", nil
		}
		values = append(values, stringsToAny(b.Values)...)
	}
	if u.Tag == "" {
		return "", nil
	}
	return u.Tag, values
}

// note says which fields go together, in a few words.
func (u *Union) note(words int) string {
	tag, _ := u.tags()
	groups := u.fieldGroups(tag)
	if len(groups) == 1 {
		if len(u.varying(tag)) == 0 {
			return ""
		}
		return fmt.Sprintf("What %s holds depends on %s.", strings.Join(u.varying(tag), ", "), tag)
	}
	most := 0
	for i, g := range groups {
		if len(g.values) > len(groups[most].values) {
			most = i
		}
	}
	var parts []string
	for i, g := range groups {
		switch {
		case tag == "":
			parts = append(parts, g.fields)
		case i != most || len(g.values) < 4:
			parts = append(parts, strings.Join(g.values, "|")+": "+g.fields)
		}
	}
	if tag == "" {
		return cut("Either (* required) "+strings.Join(parts, "; or "), 3*words) + "."
	}
	if len(parts) < len(groups) {
		parts = append(parts, "others: "+groups[most].fields)
	}
	return cut(fmt.Sprintf("Fields by %s (* required): %s", tag, strings.Join(parts, "; ")), 3*words) + "."
}

// varying are the fields that hold something else in another branch.
func (u *Union) varying(tag string) []string {
	var out []string
	first := map[string]*Shape{}
	for _, b := range u.Branches {
		for _, leaf := range b.Shape.objects() {
			for _, p := range leaf.Props {
				if one, met := first[p.Name]; met && one != p.Shape && p.Name != tag && !slices.Contains(out, p.Name) {
					out = append(out, p.Name)
				}
				if first[p.Name] == nil {
					first[p.Name] = p.Shape
				}
			}
		}
	}
	return out
}

// fieldGroup is the branches that have the same fields beside the tag.
type fieldGroup struct {
	fields string
	values []string
}

func (u *Union) fieldGroups(tag string) []fieldGroup {
	var out []fieldGroup
	for _, b := range u.Branches {
		var props []Prop
		for _, leaf := range b.Shape.objects() {
			for _, p := range leaf.Props {
				if p.Name != tag && !slices.ContainsFunc(props, func(q Prop) bool { return q.Name == p.Name }) {
					props = append(props, p)
				}
			}
		}
		fields := fieldList(props)
		if fields == "" {
			fields = "nothing more"
		}
		i := slices.IndexFunc(out, func(g fieldGroup) bool { return g.fields == fields })
		if i < 0 {
			i = len(out)
			out = append(out, fieldGroup{fields: fields})
		}
		out[i].values = append(out[i].values, b.Values...)
	}
	return out
}

func fieldList(props []Prop) string {
	var out []string
	for _, first := range []bool{true, false} {
		for _, p := range props {
			if p.Required == first {
				out = append(out, p.Name+strings.Repeat("*", boolToInt(first)))
			}
		}
	}
	if len(out) > 24 {
		out = append(out[:24], "…")
	}
	return strings.Join(out, ", ")
}
