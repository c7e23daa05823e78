package once

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/platform"
)

// wanted is what a write asks a resource to be.
type wanted struct {
	fields map[string]any
	hidden []string // paths of secret fields, which the platform does not show
}

func wantedOf(r platform.Request) wanted {
	w := wanted{fields: map[string]any{}, hidden: r.Tool.Secrets}
	body := r.Tool.Binding.Body
	if body == nil {
		return w
	}
	if whole, ok := r.Args[body.Whole].(map[string]any); ok && body.Whole != "" {
		w.fields = whole
		return w
	}
	for _, name := range body.Fields {
		if value, given := r.Args[name]; given {
			w.fields[name] = value
		}
	}
	return w
}

// shownBy reports whether the resource is as wanted, as far as it shows.
func (w wanted) shownBy(resource map[string]any) bool {
	return w.within("", w.fields, resource)
}

// within compares the wanted part of an object. Fields that the platform does
// not show (left out, secret) cannot contradict.
func (w wanted) within(path string, want, got map[string]any) bool {
	for name, value := range want {
		shown, present := got[name]
		at := strings.TrimPrefix(path+"."+name, ".")
		if present && !w.isHidden(at) && !w.matches(at, value, shown) {
			return false
		}
	}
	return true
}

func (w wanted) matches(path string, want, got any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		return ok && w.within(path, want, object)
	case []any:
		list, ok := got.([]any)
		return ok && slices.EqualFunc(want, list, func(a, b any) bool { return w.matches(path+"[]", a, b) })
	}
	return same(want, got)
}

// isHidden knows a secret by its path in the arguments or in the answer.
func (w wanted) isHidden(path string) bool {
	return slices.ContainsFunc(w.hidden, func(secret string) bool {
		return secret == path || strings.TrimPrefix(secret, "data.") == path
	})
}

// same compares two scalars; 1, 1.0 and 1e0 are the same number.
func same(a, b any) bool {
	x, isNumber := a.(json.Number)
	y, alsoNumber := b.(json.Number)
	if !isNumber || !alsoNumber {
		return isScalar(a) && isScalar(b) && a == b
	}
	return x == y || exact(x) != nil && exact(y) != nil && exact(x).Cmp(exact(y)) == 0
}

// exact is nil for numbers whose exponent would fill the memory.
func exact(n json.Number) *big.Rat {
	if _, exponent, _ := strings.Cut(strings.ToLower(string(n)), "e"); len(exponent) > 4 {
		return nil
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return nil
	}
	return r
}

// isScalar reports whether == does not panic on the value.
func isScalar(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}
