package shape

import (
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// alternatives turns the choices of a conjunction into branches: each branch is
// everything that the conjunction demands beside the choice, and one alternative
// of each choice.
func (b *Builder) alternatives(s *Shape, f flattened) {
	combos := [][]part{f.own}
	for _, c := range f.choices {
		options := slices.DeleteFunc(slices.Clone(c.branches), func(r *openapi3.SchemaRef) bool {
			return r == nil || r.Value == nil || isNull(r.Value)
		})
		s.Nullable = s.Nullable || len(options) < len(c.branches)
		var next [][]part
		for _, before := range combos {
			for _, ref := range options {
				next = append(next, append(slices.Clone(before), part{ref: ref, as: c.as}))
			}
		}
		if combos = next; len(combos) > maxBranches {
			b.fault(c.schema, "more than %d alternatives", maxBranches)
			return
		}
	}
	if len(combos) == 0 {
		return
	}
	s.Union = &Union{}
	last := f.choices[len(f.choices)-1]
	for _, parts := range combos {
		name := baseName(parts[len(parts)-1].ref.Ref)
		s.Union.Branches = append(s.Union.Branches, Branch{Name: name, Shape: b.promise(parts)})
	}
	if d := last.schema.Discriminator; d != nil && len(f.choices) == 1 {
		s.Union.Tag = d.PropertyName
		for i, parts := range combos {
			s.Union.Branches[i].Values = chosenBy(d, parts[len(parts)-1].ref.Ref)
		}
	}
	b.unions = append(b.unions, origin{shape: s, schema: last.schema})
}

// chosenBy lists the discriminator's values that name a schema.
func chosenBy(d *openapi3.Discriminator, ref string) []string {
	var out []string
	for _, value := range sortedKeys(d.Mapping) {
		if sameRef(d.Mapping[value].Ref, ref) {
			out = append(out, value)
		}
	}
	return out
}

// settle completes what tells branches apart, once all shapes are filled in: a
// discriminator without mapping goes by the property's allowed values, else by
// the schema's name, and branches that differ in the fixed values of a required
// property need no discriminator at all.
func (b *Builder) settle() {
	known := map[*Shape]bool{}
	for _, o := range b.unions {
		u := o.shape.Union
		if u == nil {
			continue
		}
		o.shape.Nullable = takesNull(o.shape, known)
		if u.Tag == "" {
			u.Tag = distinctive(u)
		}
		for i, branch := range u.Branches {
			if u.Tag == "" || len(branch.Values) > 0 {
				continue
			}
			if values := fixedValues(branch.Shape, u.Tag); values != nil {
				u.Branches[i].Values = values
			} else if branch.Name != "" {
				u.Branches[i].Values = []string{branch.Name}
			}
		}
	}
	b.unions = nil
}

// takesNull reports whether null fits the shape or one of its branches.
func takesNull(s *Shape, known map[*Shape]bool) bool {
	if s.Nullable || s.Union == nil {
		return s.Nullable
	}
	if answer, ok := known[s]; ok {
		return answer
	}
	for _, branch := range s.Union.Branches {
		if takesNull(branch.Shape, known) {
			known[s] = true
			return true
		}
	}
	known[s] = false
	return false
}

// distinctive finds the property whose value decides between all branches.
func distinctive(u *Union) string {
	if len(u.Branches) < 2 {
		return ""
	}
	for _, p := range u.Branches[0].Shape.Props {
		taken := map[string]bool{}
		decides := true
		for _, branch := range u.Branches {
			values := fixedValues(branch.Shape, p.Name)
			decides = decides && len(values) > 0
			for _, v := range values {
				decides = decides && !taken[v]
				taken[v] = true
			}
		}
		if decides {
			return p.Name
		}
	}
	return ""
}

// fixedValues are the only values that a required text property may have in every
// leaf of s; nil where it is free.
func fixedValues(s *Shape, name string) []string {
	var out []string
	for _, leaf := range s.Leaves() {
		p, ok := leaf.Prop(name)
		if !ok || !p.Required || len(p.Shape.Enum) == 0 {
			return nil
		}
		for _, v := range p.Shape.Enum {
			text, ok := v.(string)
			if !ok {
				return nil
			}
			out = append(out, text)
		}
	}
	return out
}

// kindBranches splits type: [string, integer] into branches of one kind each.
func kindBranches(s *Shape, kinds []Kind) {
	union := &Union{}
	for _, k := range kinds {
		branch := *s
		branch.Kind, branch.Union, branch.Nullable = k, nil, false
		branch.Text, branch.Title = "", ""
		branch.Enum = slices.DeleteFunc(slices.Clone(s.Enum), func(v any) bool { return !fits(k, v) })
		if s.Enum != nil && len(branch.Enum) == 0 {
			continue
		}
		union.Branches = append(union.Branches, Branch{Shape: &branch})
	}
	s.Union = union
}

// refuseEmptyCycles finds alternatives that lead back to themselves without a
// property or an item in between: no value could ever decide them.
func (b *Builder) refuseEmptyCycles() {
	const (
		open = iota + 1
		done
	)
	state := map[*Shape]int{}
	var walk func(s *Shape) bool
	walk = func(s *Shape) bool {
		if s.Union == nil || state[s] == done {
			return false
		}
		if state[s] == open {
			return true
		}
		state[s] = open
		for _, branch := range s.Union.Branches {
			if walk(branch.Shape) {
				return true
			}
		}
		state[s] = done
		return false
	}
	for _, u := range b.unions {
		if state[u.shape] == 0 && walk(u.shape) {
			b.fault(u.schema, "oneOf or anyOf contains itself")
		}
		// A fault ends the load, but nothing may walk in circles until then.
		if state[u.shape] == open {
			u.shape.Union = nil
			state[u.shape] = done
		}
	}
}
