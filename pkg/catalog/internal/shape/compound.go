package shape

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/comporta-mcp/comporta/pkg/problem"
)

func (c *checker) object(s *Shape, v any, path string) any {
	in, ok := v.(map[string]any)
	if !ok {
		c.wrong(path, nil, "must be an object, not %s", s.describe(v))
		return v
	}
	out := make(map[string]any, len(in))
	for _, p := range s.Props {
		value, given := in[p.Name]
		if given && value == nil && !p.Shape.AcceptsNull() {
			// Many clients send null for what they leave out.
			given = p.Required && (c.answer || p.Shape.free())
		}
		switch {
		case given:
			out[p.Name] = c.value(p.Shape, value, Join(path, p.Name))
		case p.Required && !c.answer:
			c.wrong(Join(path, p.Name), p.Shape.Enum, "is required%s", p.Shape.wanted())
		}
	}
	c.others(s, in, out, path)
	if n := len(out); n < s.MinProps {
		c.wrong(path, nil, "must have at least %s, has %d", fields(s.MinProps), n)
	} else if s.MaxProps >= 0 && n > s.MaxProps {
		c.wrong(path, nil, "must have at most %s, has %d", fields(s.MaxProps), n)
	}
	return out
}

// others handles what the object does not name.
func (c *checker) others(s *Shape, in, out map[string]any, path string) {
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if _, named := s.Prop(name); named {
			continue
		}
		at := Join(path, name)
		switch {
		case s.Extra.Closed && in[name] == nil && !c.answer && slices.Contains(s.ReadOnly, name):
			// Left out, as null says.
		case s.Extra.Closed && !c.answer:
			c.unknown(s, name, at, path == "")
		case s.Extra.Shape != nil:
			out[name] = c.value(s.Extra.Shape, in[name], at)
		case !c.answer:
			out[name] = c.copy(in[name], at)
		}
	}
}

// unknown refuses a field by name, with the nearest known one as a hint.
func (c *checker) unknown(s *Shape, name, at string, top bool) {
	word := problem.Sentence{Format: "field"}
	if top {
		word = problem.Sentence{Format: "argument"}
	}
	if slices.Contains(s.ReadOnly, name) {
		c.wrong(at, nil, "is set by the platform and cannot be sent; leave it out")
		return
	}
	known := make([]string, 0, len(s.Props))
	for _, p := range s.Props {
		known = append(known, p.Name)
	}
	var also []string
	if top {
		also = c.also
	}
	if near := Nearest(name, slices.Concat(known, also)); near != "" {
		c.wrong(at, nil, "unknown %s; did you mean %q?", word, near)
		return
	}
	if len(known)+len(also) == 0 {
		c.wrong(at, nil, "unknown %s; none is taken here", word)
		return
	}
	c.wrong(at, nil, "unknown %s; known here: %s", word, names(known, also))
}

func (c *checker) array(s *Shape, v any, path string) any {
	in, ok := v.([]any)
	if !ok {
		c.wrong(path, nil, "must be an array, not %s", s.describe(v))
		return v
	}
	out := make([]any, len(in))
	for i, item := range in {
		at := path + "[" + strconv.Itoa(i) + "]"
		if s.Items == nil {
			out[i] = c.copy(item, at)
		} else {
			out[i] = c.value(s.Items, item, at)
		}
	}
	if n := len(in); n < s.MinItems {
		c.wrong(path, nil, "must have at least %s, has %d", elements(s.MinItems), n)
	} else if s.MaxItems >= 0 && n > s.MaxItems {
		c.wrong(path, nil, "must have at most %s, has %d", elements(s.MaxItems), n)
	}
	if s.Unique {
		c.unique(out, path)
	}
	return out
}

// characters, fields and elements say how many.
func characters(n int) problem.Sentence {
	if n == 1 {
		return problem.Sentence{Format: "1 character"}
	}
	return problem.Sentence{Format: "%d characters", Args: []any{n}}
}

func fields(n int) problem.Sentence {
	if n == 1 {
		return problem.Sentence{Format: "1 field"}
	}
	return problem.Sentence{Format: "%d fields", Args: []any{n}}
}

func elements(n int) problem.Sentence {
	if n == 1 {
		return problem.Sentence{Format: "1 element"}
	}
	return problem.Sentence{Format: "%d elements", Args: []any{n}}
}

func (c *checker) unique(items []any, path string) {
	seen := make(map[string]int, len(items))
	for i, item := range items {
		text, err := json.Marshal(item) // maps are written in the order of their keys
		if err != nil {
			continue
		}
		if first, twice := seen[string(text)]; twice {
			c.wrong(path+"["+strconv.Itoa(i)+"]", nil, "repeats element %d; elements must differ", first)
			continue
		}
		seen[string(text)] = i
	}
}

// union chooses the branch that the value is meant for, so that a fault is about
// its fields and never "no alternative matched".
func (c *checker) union(s *Shape, v any, path string) any {
	u := s.Union
	if object, ok := v.(map[string]any); ok && u.Tag != "" && !c.answer {
		if branch, decided := c.tagged(u, object, path); decided {
			if branch == nil {
				return v
			}
			return c.value(branch, v, path)
		}
	}
	best, bestScore := -1, 0
	var clean any
	var wrongs []Wrong
	for _, i := range c.likely(u, v) {
		trial := checker{steps: c.steps, depth: c.depth, answer: c.answer, loose: c.loose}
		result := trial.value(u.Branches[i].Shape, v, path)
		if len(trial.wrongs) == 0 {
			return result
		}
		if score := len(trial.wrongs); best < 0 || score < bestScore {
			best, bestScore, clean, wrongs = i, score, result, trial.wrongs
		}
	}
	c.wrongs = append(c.wrongs, wrongs[:min(len(wrongs), maxWrongs-min(len(c.wrongs), maxWrongs))]...)
	return clean
}

// tagged follows the discriminator. Branches without values of their own leave
// the decision to the best match.
func (c *checker) tagged(u *Union, object map[string]any, path string) (branch *Shape, decided bool) {
	var values []any
	for _, b := range u.Branches {
		if len(b.Values) == 0 {
			return nil, false
		}
		for _, v := range b.Values {
			values = append(values, v)
		}
	}
	tag, _ := object[u.Tag].(string)
	for _, b := range u.Branches {
		if slices.Contains(b.Values, tag) {
			return b.Shape, true
		}
	}
	at := Join(path, u.Tag)
	if object[u.Tag] == nil {
		c.wrong(at, values, "is required%s", oneOf(values))
	} else {
		c.allowed(&Shape{Enum: values}, canonical(object[u.Tag]), at)
	}
	return nil, true
}
