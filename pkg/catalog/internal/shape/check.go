package shape

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/comporta-mcp/comporta/pkg/problem"
)

// Wrong is one thing about a value that does not fit.
type Wrong struct {
	Path    string // "modules.cache.enabled", "order[2]"; "" for the value itself
	Message string
	Allowed []any            // allowed values, where they can be listed
	Said    problem.Sentence // Message, for other languages
}

const (
	// maxSteps bounds the work on one value: ambiguous recursive alternatives could
	// otherwise be tried in exponentially many ways.
	maxSteps = 200_000
	// maxDepth is deeper than any honest argument, and shallow enough for the stack.
	maxDepth = 200
	// maxWrongs is as many faults as one answer can use.
	maxWrongs = 50
)

// checker walks one value. It never changes what it is given.
type checker struct {
	wrongs []Wrong
	steps  *int
	depth  int
	also   []string // known at the top beside the shape's own
	answer bool     // an answer of the platform: open, nothing required, nothing coerced
	loose  Paths    // of an answer: the host puts something else in their place
}

// Check validates a value in full. clean is a copy with lossless forms made
// proper ("12" for an integer), numbers as json.Number, and null left out where
// it means absent; null stays where the document says that null is a value.
func (s *Shape) Check(value any) (clean any, wrongs []Wrong) {
	c := checker{steps: new(int)}
	clean = c.value(s, value, "")
	return clean, c.wrongs
}

// CheckArguments is Check for the arguments of a call. also are arguments that the
// caller may send and that were taken out before: a refusal of an unknown one names
// them too.
func (s *Shape) CheckArguments(args map[string]any, also []string) (clean any, wrongs []Wrong) {
	c := checker{steps: new(int), also: also}
	clean = c.value(s, args, "")
	return clean, c.wrongs
}

// Fits validates an answer: kinds and names only, see relax. At the loose paths
// anything fits.
func (s *Shape) Fits(value any, loose Paths) []Wrong {
	c := checker{steps: new(int), answer: true, loose: loose}
	c.value(s, value, "")
	return c.wrongs
}

func (c *checker) wrong(path string, allowed []any, format string, args ...any) {
	if len(c.wrongs) < maxWrongs {
		said := problem.Sentence{Format: format, Args: args}
		c.wrongs = append(c.wrongs, Wrong{Path: path, Message: said.String(), Allowed: allowed, Said: said})
	}
}

// spent reports that the value is beyond what can be checked.
func (c *checker) spent(path string) bool {
	*c.steps++
	if *c.steps < maxSteps && c.depth < maxDepth {
		return false
	}
	c.wrong(path, nil, "is nested too deeply or too large to be checked; send something simpler")
	return true
}

func (c *checker) value(s *Shape, v any, path string) any {
	if c.spent(path) {
		return nil
	}
	if c.answer && c.loose.Match(path) {
		return v
	}
	c.depth++
	defer func() { c.depth-- }()
	if v == nil {
		if !s.AcceptsNull() && !s.free() {
			c.wrong(path, s.Enum, "must not be null")
		}
		return nil
	}
	if s.Union != nil {
		return c.union(s, v, path)
	}
	switch s.Kind {
	case Object:
		return c.object(s, v, path)
	case Array:
		return c.array(s, v, path)
	case String:
		return c.text(s, v, path)
	case Integer, Number:
		return c.number(s, v, path)
	case Boolean:
		return c.boolean(s, v, path)
	}
	clean := c.copy(v, path)
	c.allowed(s, clean, path)
	return clean
}

func (c *checker) text(s *Shape, v any, path string) any {
	text, ok := v.(string)
	if !ok {
		var hint problem.Sentence
		if number, isNumber := asNumber(v); isNumber && !s.Secret {
			hint = problem.Sentence{Format: "; put it in quotes: %q", Args: []any{number}}
		}
		c.wrong(path, s.Enum, "must be a text, not %s%s", s.describe(v), hint)
		return v
	}
	if !c.allowed(s, text, path) {
		return text
	}
	n := utf8.RuneCountInString(text)
	switch {
	case n < s.MinLength && n == 0:
		c.wrong(path, nil, "must not be empty")
	case n < s.MinLength:
		c.wrong(path, nil, "must have at least %s, has %d", characters(s.MinLength), n)
	case s.MaxLength >= 0 && n > s.MaxLength:
		c.wrong(path, nil, "must have at most %s, has %d", characters(s.MaxLength), n)
	}
	for _, p := range s.Patterns {
		if p.Re != nil && !p.Re.MatchString(text) {
			c.wrong(path, nil, "must match the pattern %s", p.Source)
		}
	}
	if wanted := formatWants(s.Format, text); wanted.Format != "" {
		c.wrong(path, nil, "must be %s", wanted)
	}
	return text
}

func (c *checker) boolean(s *Shape, v any, path string) any {
	value, ok := v.(bool)
	if text, isText := v.(string); isText && !c.answer && (text == "true" || text == "false") {
		value, ok = text == "true", true
	}
	if !ok {
		c.wrong(path, []any{true, false}, "must be true or false, not %s", s.describe(v))
		return v
	}
	c.allowed(s, value, path)
	return value
}

func (c *checker) number(s *Shape, v any, path string) any {
	clean, ok := c.exact(s.Kind, v)
	if !ok {
		what := problem.Sentence{Format: "a number"}
		if s.Kind == Integer {
			what = problem.Sentence{Format: "an integer"}
		}
		c.wrong(path, s.Enum, "must be %s, not %s", what, s.describe(v))
		return v
	}
	if !c.allowed(s, clean, path) {
		return clean
	}
	text := string(clean)
	if wanted := integerRange(s.Format, text); s.Kind == Integer && wanted.Format != "" {
		c.wrong(path, nil, "must be %s", wanted)
	}
	if s.Min != nil {
		if order, ok := compare(text, s.Min.Value); ok && (order < 0 || order == 0 && s.Min.Exclusive) {
			c.wrong(path, nil, "must be %s %s", atLeast(s.Min.Exclusive), plain(s.Min.Value))
		}
	}
	if s.Max != nil {
		if order, ok := compare(text, s.Max.Value); ok && (order > 0 || order == 0 && s.Max.Exclusive) {
			c.wrong(path, nil, "must be %s %s", atMost(s.Max.Exclusive), plain(s.Max.Value))
		}
	}
	if s.MultipleOf > 0 && !divides(text, s.MultipleOf) {
		c.wrong(path, nil, "must be a multiple of %s", plain(s.MultipleOf))
	}
	return clean
}

// exact reads a number without losing a digit. A text counts where it is written
// as a number would be: "12", not "1e3", " 7 " or "12px".
func (c *checker) exact(k Kind, v any) (json.Number, bool) {
	text, ok := asNumber(v)
	if quoted, isText := v.(string); isText && !c.answer && !strings.ContainsAny(quoted, "eE") && isNumber(quoted) {
		text, ok = quoted, k == Number || !strings.Contains(quoted, ".")
	}
	if !ok {
		return "", false
	}
	if k == Integer {
		text, ok = canonicalInteger(text)
	} else {
		text, ok = canonicalNumber(text)
	}
	return json.Number(text), ok
}

// allowed reports whether v is one of the allowed values, if they are limited.
func (c *checker) allowed(s *Shape, v any, path string) bool {
	if s.Enum == nil || containsValue(s.Enum, v) {
		return true
	}
	var hint problem.Sentence
	if text, ok := v.(string); ok {
		if near := Nearest(text, texts(s.Enum)); near != "" {
			hint = problem.Sentence{Format: "; did you mean %q?", Args: []any{near}}
		}
	}
	c.wrong(path, s.Enum, "must be one of %s%s", list(s.Enum), hint)
	return false
}

func atLeast(exclusive bool) problem.Sentence {
	if exclusive {
		return problem.Sentence{Format: "more than"}
	}
	return problem.Sentence{Format: "at least"}
}

func atMost(exclusive bool) problem.Sentence {
	if exclusive {
		return problem.Sentence{Format: "less than"}
	}
	return problem.Sentence{Format: "at most"}
}
