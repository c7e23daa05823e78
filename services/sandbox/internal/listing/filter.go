package listing

import (
	"cmp"
	"encoding/json"
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/model"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/shape"
)

// filter keeps the items whose field passes.
type filter struct {
	field  string
	passes func(v any) bool
}

// parseFilter reads one filter from its parameter and the schema of the field it
// is about: numbers, booleans and listed values exactly (several by commas),
// moments by their bounds, other text by containing it, whatever the case.
func parseFilter(op *model.Operation, p *openapi3.Parameter, value string) (filter, error) {
	name, bound := cutBound(p.Name)
	field := fieldOf(op, name)
	s := itemProperty(op, field)
	if s == nil && p.Schema != nil {
		s = p.Schema.Value
	}
	var passes func(any) bool
	var want string
	switch {
	case shape.Format(s) == "date-time" || shape.Format(s) == "date":
		passes, want = byTime(value, bound), "It must be a moment as RFC 3339 writes it."
	case shape.Type(s) == openapi3.TypeBoolean:
		passes, want = byBool(value), "It must be true or false."
	case shape.Type(s) == openapi3.TypeInteger || shape.Type(s) == openapi3.TypeNumber:
		passes, want = byNumber(value, bound), "It must be a number, or several with commas between them."
	case len(shape.Enum(s)) > 0:
		passes = oneOf(value)
	default:
		passes = containing(value)
	}
	if passes == nil {
		return filter{}, refusal.Parameter(http.StatusBadRequest, p.Name, want)
	}
	return filter{field: field, passes: passes}, nil
}

// cutBound takes the comparison off a parameter's name: "size__gte" is size, >= 0.
func cutBound(name string) (field string, holds func(order int) bool) {
	field, suffix, _ := strings.Cut(name, "__")
	switch suffix {
	case "gte":
		return field, func(order int) bool { return order >= 0 }
	case "lte":
		return field, func(order int) bool { return order <= 0 }
	case "gt":
		return field, func(order int) bool { return order > 0 }
	case "lt":
		return field, func(order int) bool { return order < 0 }
	}
	return field, func(order int) bool { return order == 0 }
}

// fieldOf is the item's field that a parameter is about. What a collection's
// items are keyed by may be called by the key's first word ("bucket" of
// {bucket_name}).
func fieldOf(op *model.Operation, name string) string {
	if itemProperty(op, name) != nil || op.On == nil {
		return name
	}
	if op.On.Key.Field != "" && strings.HasSuffix(op.On.Template, "/"+name+"s") {
		return op.On.Key.Field
	}
	return name
}

func byBool(value string) func(any) bool {
	want, err := strconv.ParseBool(value)
	if err != nil {
		return nil
	}
	return func(v any) bool { return v == want }
}

func byNumber(value string, holds func(int) bool) func(any) bool {
	var wanted []*big.Rat
	for part := range strings.SplitSeq(value, ",") {
		n := exact(strings.TrimSpace(part))
		if n == nil {
			return nil
		}
		wanted = append(wanted, n)
	}
	return func(v any) bool {
		n := number(v)
		return n != nil && slices.ContainsFunc(wanted, func(w *big.Rat) bool { return holds(n.Cmp(w)) })
	}
}

func byTime(value string, holds func(int) bool) func(any) bool {
	want, ok := moment(value)
	if !ok {
		return nil
	}
	return func(v any) bool {
		have, ok := moment(text(v))
		return ok && holds(have.Compare(want))
	}
}

func oneOf(value string) func(any) bool {
	wanted := Fields(value)
	return func(v any) bool { return slices.Contains(wanted, text(v)) }
}

func containing(value string) func(any) bool {
	want := strings.ToLower(value)
	return func(v any) bool { return strings.Contains(strings.ToLower(text(v)), want) }
}

func moment(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

func number(v any) *big.Rat {
	n, ok := v.(json.Number)
	if !ok {
		return nil
	}
	return exact(n.String())
}

// exact is a number with every digit; nil when it is none. One with an exponent
// goes through a float: written out, 1e999999999 would fill the memory.
func exact(s string) *big.Rat {
	if strings.ContainsAny(s, "eE") {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil
		}
		return new(big.Rat).SetFloat64(f) // nil for an infinity
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil
	}
	return r
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// compare orders two values of one field: nothing first, then by type.
func compare(a, b any) int {
	if x, y := number(a), number(b); x != nil && y != nil {
		return x.Cmp(y)
	}
	if x, ok := a.(bool); ok {
		y, _ := b.(bool)
		return cmp.Compare(truth(x), truth(y))
	}
	if a == nil || b == nil {
		return cmp.Compare(truth(a != nil), truth(b != nil))
	}
	return strings.Compare(strings.ToLower(text(a)), strings.ToLower(text(b)))
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
