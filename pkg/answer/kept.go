package answer

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// keptKey is what every stand-in of a secret that the platform shows once has.
const keptKey = "secreto"

// Kept stands in place of a secret that is kept for the person: they can see it
// at the address, once, until it expires.
func Kept(address string, expires time.Time) map[string]any {
	return map[string]any{
		keptKey: "guardado", "ver_en": address, "vence_en": expires.UTC().Format(time.RFC3339),
	}
}

// Lost stands in place of a secret that nobody can see any more: the platform
// showed it, and it could not be kept.
func Lost() map[string]any {
	return map[string]any{
		keptKey:     "perdido",
		"que_hacer": problem.Sentence{Format: "The platform showed this secret only once, and it could not be kept. Delete what was made and make it anew, if the person agrees."}.String(),
	}
}

// IsStandIn recognises Kept and Lost after they were stored and read again. What
// a platform might forge was taken by TakeOnce before.
func IsStandIn(v any) bool {
	object, ok := v.(map[string]any)
	if !ok || len(object) < 2 || len(object) > 3 {
		return false
	}
	for key, value := range object {
		_, text := value.(string)
		if !text || !slices.Contains([]string{keptKey, "ver_en", "vence_en", "que_hacer"}, key) {
			return false
		}
	}
	return object[keptKey] == "guardado" || object[keptKey] == "perdido"
}

// TakeOnce takes the secrets that t's platform shows once out of an answer: they
// come by their names, and standIn is in their place. Where there are none, taken
// is empty.
func TakeOnce(t *catalog.Tool, value map[string]any, standIn map[string]any) (rest map[string]any, taken map[string]any) {
	rest, taken = value, map[string]any{}
	for _, path := range t.ShownOnce {
		rest = edit(rest, parsePath(path), func(v any) any {
			if nothing(v) {
				return v
			}
			name := path
			for i := 2; taken[name] != nil; i++ {
				name = fmt.Sprintf("%s (%d)", path, i)
			}
			taken[name] = v
			return maps.Clone(standIn)
		}).(map[string]any)
	}
	return rest, taken
}

// FillOnce puts standIn where t's platform would have shown a secret once and an
// answer that was found out later has none.
func FillOnce(t *catalog.Tool, value map[string]any, standIn map[string]any) map[string]any {
	for _, path := range t.ShownOnce {
		if steps := parsePath(path); len(steps) > 0 {
			last := len(steps) - 1
			value = edit(value, steps[:last], func(v any) any { return filled(v, steps[last], standIn) }).(map[string]any)
		}
	}
	return value
}

func filled(v any, name string, standIn map[string]any) any {
	switch v := v.(type) {
	case map[string]any:
		if name == everyValue || name == everyElement || !nothing(v[name]) {
			return v
		}
		out := maps.Clone(v)
		out[name] = maps.Clone(standIn)
		return out
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = filled(element, name, standIn)
		}
		return out
	}
	return v
}

// GraftOnce carries the stand-ins of an earlier answer over into a later one of
// the same resource.
func GraftOnce(t *catalog.Tool, from, to map[string]any) map[string]any {
	var standIn map[string]any
	for _, path := range t.ShownOnce {
		edit(from, parsePath(path), func(v any) any {
			if IsStandIn(v) {
				standIn, _ = v.(map[string]any)
			}
			return v
		})
	}
	if standIn == nil {
		return to
	}
	return FillOnce(t, to, standIn)
}

// nothing: a null or an empty text tells nothing.
func nothing(v any) bool { return v == nil || v == "" }

// Hide masks every secret of an answer of t but the stand-ins: what may be stored.
func Hide(t *catalog.Tool, value map[string]any) map[string]any {
	hidden := clone(value)
	for _, path := range t.Secrets {
		change := mask
		if slices.Contains(t.ShownOnce, path) {
			change = maskUnlessStandIn
		}
		hidden = edit(hidden, parsePath(path), change)
	}
	object, _ := maskAddresses(t, hidden).(map[string]any)
	return object
}

func maskUnlessStandIn(v any) any {
	if IsStandIn(v) {
		return v
	}
	return mask(v)
}
