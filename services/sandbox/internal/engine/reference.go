package engine

import (
	"errors"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/model"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
)

// Reference is a field that names an item of another collection by its key.
type Reference struct {
	From string // template of the collection whose items have the field
	// Field is the way to it: names with dots between them, [] behind one that is a
	// list, and [name=value] behind a list of which only some elements count.
	Field string
	To    string // template of the collection it leads to
}

// Named is one value that a reference found.
type Named struct {
	Pointer string // JSON Pointer
	Value   any
	Set     func(any) // puts another in its place
}

// Find is what data names by this reference.
func (r Reference) Find(data map[string]any) []Named {
	var found []Named
	walkReference(strings.Split(r.Field, "."), data, "", func(x Named) { found = append(found, x) })
	return found
}

func walkReference(way []string, at map[string]any, pointer string, yield func(Named)) {
	name, list, only := strings.Cut(way[0], "[")
	value, ok := at[name]
	if !ok || value == nil {
		return
	}
	pointer += "/" + name
	if !only {
		stepReference(way, value, pointer, func(v any) { at[name] = v }, yield)
		return
	}
	field, want, filtered := strings.Cut(strings.TrimSuffix(list, "]"), "=")
	elements, _ := value.([]any)
	for i, element := range elements {
		if o, isObject := element.(map[string]any); filtered && (!isObject || textOf(o[field]) != want) {
			continue
		}
		stepReference(way, element, pointer+"/"+strconv.Itoa(i), func(v any) { elements[i] = v }, yield)
	}
}

func stepReference(way []string, value any, pointer string, set func(any), yield func(Named)) {
	if len(way) == 1 {
		yield(Named{pointer, value, set})
		return
	}
	if inner, ok := value.(map[string]any); ok {
		walkReference(way[1:], inner, pointer, yield)
	}
}

// checkReferences wants everything that an item names to exist. Text where a
// number names the item is a variable, which only a request fills.
func (w *work) checkReferences(c *model.Collection, data map[string]any) error {
	for _, ref := range w.References {
		if ref.From != c.Template {
			continue
		}
		target := w.Model.Collection(ref.To)
		if target == nil {
			continue // none of the documents that are served has it
		}
		for _, named := range ref.Find(data) {
			if _, isText := named.Value.(string); isText && target.Key.Integer {
				continue
			}
			key := textOf(named.Value)
			_, _, err := w.find(target, w.reach(ref.To), key)
			if refused, ok := errors.AsType[*refusal.Refusal](err); ok && refused.Status == http.StatusNotFound {
				return Invalid(named.Pointer, fmt.Sprintf("There is no %s %s.", path.Base(ref.To), key))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// reach is where a template lies for this request: parameters that it shares with
// the request's own path have the request's values.
func (w *work) reach(template string) string { return laid(template, w.Op.Template, w.Segments) }

// laid fills in a template's parameters with the steps of a path, as far as the
// path's own template has the same ones.
func laid(template, like string, steps []string) string {
	filled, own := model.Steps(template), model.Steps(like)
	for i, step := range filled {
		if model.IsParam(step) && i < len(own) && own[i] == step {
			filled[i] = steps[i]
		}
	}
	return model.Concrete(filled)
}

// redirect lets what was copied name the other copies where it named their
// originals; moved says where each original's copy lies.
func (w *work) redirect(c *model.Collection, data map[string]any, moved map[string]string) {
	for _, ref := range w.References {
		target := w.Model.Collection(ref.To)
		if ref.From != c.Template || target == nil {
			continue
		}
		for _, named := range ref.Find(data) {
			original := itemPath(w.reach(ref.To), textOf(named.Value))
			if copied, ok := moved[original]; ok {
				named.Set(target.Key.Value(path.Base(copied)))
			}
		}
	}
}
