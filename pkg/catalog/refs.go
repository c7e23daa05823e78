package catalog

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Every stands for all resources of a kind: the call names none at Path, and the
// platform takes that for all.
type Every struct{ Path string }

// Named gives the other root resources that a call's arguments name, by kind. A
// value that is left out names none, or Every where the Ref says All and the call
// does not leave the whole argument as it is.
func (t *Tool) Named(args map[string]any) iter.Seq2[string, any] {
	return func(yield func(kind string, id any) bool) {
		for _, ref := range t.Refs {
			steps := strings.Split(strings.ReplaceAll(ref.Path, "[]", ".[]"), ".")
			some := false
			if !ref.walk(args, steps, nil, func(id any) bool { some = true; return yield(ref.Kind, id) }) {
				return
			}
			if ref.All && !some && !t.leaves(args, steps[0]) && !yield(ref.Kind, Every{strings.ReplaceAll(ref.Path, "[]", "")}) {
				return
			}
		}
	}
}

// leaves reports that the call changes other things than the argument: a PATCH
// that does not say it.
func (t *Tool) leaves(args map[string]any, argument string) bool {
	return t.Binding != nil && t.Binding.Method == "PATCH" && args[argument] == nil
}

// walk finds the values of the path; around are the objects on the way.
func (r Ref) walk(v any, steps []string, around []map[string]any, yield func(id any) bool) bool {
	if v == nil {
		return true
	}
	if len(steps) == 0 {
		return !r.applies(around) || yield(v)
	}
	switch v := v.(type) {
	case []any:
		rest := steps
		if steps[0] == "[]" {
			rest = steps[1:]
		}
		for _, element := range v {
			if !r.walk(element, rest, around, yield) {
				return false
			}
		}
	case map[string]any:
		for key, value := range v {
			if (steps[0] == "*" || steps[0] == key) && !r.walk(value, steps[1:], append(slices.Clip(around), v), yield) {
				return false
			}
		}
	}
	return true
}

func (r Ref) applies(around []map[string]any) bool {
	if r.Field == "" {
		return true
	}
	for _, object := range slices.Backward(around) {
		if value, has := object[r.Field]; has {
			return slices.Contains(r.Values, fmt.Sprint(value))
		}
	}
	return true // nothing says that it is something else
}
