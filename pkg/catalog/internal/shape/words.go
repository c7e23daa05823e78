package shape

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/comporta-mcp/comporta/pkg/problem"
)

// Join appends a field to a path.
func Join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// describe says briefly what a caller sent. Secrets and long texts are not
// repeated.
func (s *Shape) describe(v any) problem.Sentence {
	if s.Secret {
		return problem.Sentence{Format: "what was sent"}
	}
	return describe(v)
}

func describe(v any) problem.Sentence {
	switch v := v.(type) {
	case nil:
		return problem.Sentence{Format: "%s", Args: []any{"null"}}
	case string:
		if utf8.RuneCountInString(v) > 40 {
			return problem.Sentence{Format: "a long text"}
		}
		return problem.Sentence{Format: "the text %q", Args: []any{v}}
	case bool:
		return problem.Sentence{Format: "%t", Args: []any{v}}
	case []any:
		return problem.Sentence{Format: "an array"}
	case map[string]any:
		return problem.Sentence{Format: "an object"}
	}
	if text, ok := asNumber(v); ok && len(text) <= 40 {
		return problem.Sentence{Format: "the number %s", Args: []any{text}}
	}
	return problem.Sentence{Format: "a number that cannot be kept exactly; send it as a text"}
}

// list names allowed values, as many as a caller can choose from at a glance.
func list(values []any) string {
	const most = 40
	shown := make([]string, 0, min(len(values), most)+1)
	for i, v := range values {
		if i == most {
			shown = append(shown, fmt.Sprintf("… (%d in all)", len(values)))
			break
		}
		shown = append(shown, show(v))
	}
	return strings.Join(shown, ", ")
}

func show(v any) string {
	if text, ok := v.(string); ok {
		return strconv.Quote(text)
	}
	return fmt.Sprint(v)
}

// wanted says what a missing value must hold.
func (s *Shape) wanted() problem.Sentence {
	if s.Enum != nil {
		return oneOf(s.Enum)
	}
	var fields []string
	for _, p := range s.Props {
		if p.Required {
			fields = append(fields, p.Name)
		}
	}
	switch {
	case s.Example != nil:
		return problem.Sentence{Format: ", such as %s", Args: []any{flow(s.Example)}}
	case len(fields) > 0:
		return problem.Sentence{Format: ", with the fields %s", Args: []any{names(fields, nil)}}
	}
	return problem.Sentence{}
}

func oneOf(values []any) problem.Sentence {
	if len(values) == 0 {
		return problem.Sentence{}
	}
	return problem.Sentence{Format: ": one of %s", Args: []any{list(values)}}
}

// names lists some names, and all of also.
func names(known, also []string) string {
	const most = 20
	if len(known) > most {
		known = append(slices.Clone(known[:most]), "…")
	}
	return strings.Join(slices.Concat(known, also), ", ")
}

func texts(values []any) []string {
	var out []string
	for _, v := range values {
		if text, ok := v.(string); ok {
			out = append(out, text)
		}
	}
	return out
}

func plain(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func containsValue(values []any, v any) bool {
	for _, allowed := range values {
		if sameValue(allowed, v) {
			return true
		}
	}
	return false
}

// sameValue compares decoded JSON; 2 and 2.0 are the same number.
func sameValue(a, b any) bool {
	x, isNumber := a.(json.Number)
	y, both := b.(json.Number)
	if !isNumber || !both {
		return reflect.DeepEqual(a, b)
	}
	if x == y {
		return true
	}
	if _, ok := parseDecimal(string(x)); !ok {
		return false
	}
	if _, ok := parseDecimal(string(y)); !ok {
		return false
	}
	p, ok1 := new(big.Rat).SetString(string(x))
	q, ok2 := new(big.Rat).SetString(string(y))
	return ok1 && ok2 && p.Cmp(q) == 0
}

// copy takes over a value that no schema describes, numbers exact.
func (c *checker) copy(v any, path string) any {
	if c.spent(path) {
		return nil
	}
	c.depth++
	defer func() { c.depth-- }()
	switch v := v.(type) {
	case nil, string, bool:
		return v
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			out[name] = c.copy(value, Join(path, name))
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = c.copy(value, path+"["+strconv.Itoa(i)+"]")
		}
		return out
	}
	text, ok := asNumber(v)
	if !ok {
		c.wrong(path, nil, "is %s", describe(v))
		return nil
	}
	return json.Number(text)
}
