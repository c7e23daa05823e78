package shape

import "slices"

// otherKind outweighs every fault inside a value of the right kind.
const otherKind = 1000

// likely orders the branches that v may be meant for, by what can be seen
// without looking deeper. If some branch shows no fault at this depth, only such
// branches can fit, and the others are left out.
func (c *checker) likely(u *Union, v any) []int {
	type candidate struct{ index, faults, hits int }
	all := make([]candidate, 0, len(u.Branches))
	for i, b := range u.Branches {
		best := candidate{index: i, faults: 1 << 30}
		for _, leaf := range b.Shape.Leaves() {
			faults, hits := c.glance(leaf, v)
			if faults < best.faults || faults == best.faults && hits > best.hits {
				best.faults, best.hits = faults, hits
			}
		}
		all = append(all, best)
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		if a.faults != b.faults {
			return a.faults - b.faults
		}
		return b.hits - a.hits
	})
	var out []int
	for _, candidate := range all {
		// Of branches that cannot fit only the best one is worth a message.
		if candidate.faults > 0 && len(out) > 0 {
			break
		}
		out = append(out, candidate.index)
	}
	return out
}

// glance counts what is wrong with v at the first level, and how much of it the
// shape knows. Each fault counted here is one that the full check finds too.
func (c *checker) glance(s *Shape, v any) (faults, hits int) {
	*c.steps++
	if s.Kind == Any {
		trial := checker{steps: c.steps, answer: c.answer}
		return boolToInt(s.Enum != nil && !trial.allowed(s, canonical(v), "")), 0
	}
	switch v := v.(type) {
	case map[string]any:
		if s.Kind != Object {
			return otherKind, 0
		}
		if c.answer {
			return 0, s.known(v)
		}
		return c.glanceObject(s, v), s.known(v)
	case []any:
		if s.Kind != Array {
			return otherKind, 0
		}
		return 0, 1
	}
	if s.Kind == Object || s.Kind == Array {
		return otherKind, 0
	}
	trial := checker{steps: c.steps, depth: c.depth, answer: c.answer}
	trial.value(s, v, "")
	if len(trial.wrongs) > 0 && !s.native(v) {
		return otherKind / 2, 0
	}
	return len(trial.wrongs), boolToInt(s.native(v))
}

func (c *checker) glanceObject(s *Shape, object map[string]any) int {
	faults := 0
	for _, p := range s.Props {
		value := object[p.Name]
		scalar := p.Shape.Union == nil && p.Shape.Kind != Object && p.Shape.Kind != Array
		switch _, given := object[p.Name]; {
		case value != nil && scalar:
			trial := checker{steps: c.steps, depth: c.depth}
			trial.value(p.Shape, value, "")
			faults += min(len(trial.wrongs), 1) * p.weight()
		case value == nil && p.Required && !(given && p.Shape.AcceptsNull()):
			faults++
		}
	}
	if !s.Extra.Closed {
		return faults
	}
	for name, value := range object {
		if _, named := s.Prop(name); !named && !(value == nil && slices.Contains(s.ReadOnly, name)) {
			faults++
		}
	}
	return faults
}

// weight: a wrong fixed value says more clearly than any other fault that
// another branch was meant.
func (p Prop) weight() int {
	if len(p.Shape.Enum) == 1 && p.Required {
		return 10
	}
	return 1
}

// native reports whether v has the shape's kind as it is, without being coerced.
func (s *Shape) native(v any) bool {
	switch v.(type) {
	case string:
		return s.Kind == String
	case bool:
		return s.Kind == Boolean
	}
	return s.Kind == Integer || s.Kind == Number
}

func (s *Shape) known(object map[string]any) int {
	n := 0
	for _, p := range s.Props {
		if _, given := object[p.Name]; given {
			n++
		}
	}
	return n
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
