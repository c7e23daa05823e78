package shape

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Decode reads one JSON value and nothing after it; numbers stay json.Number, so
// that no digit of an id is lost.
func Decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("there is something after the JSON value")
	}
	return v, nil
}

// clone copies maps and slices; numbers of the documents become json.Number.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := make(map[string]any, len(v))
		for k, e := range v {
			c[k] = clone(e)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = clone(e)
		}
		return c
	case float64, int, int64, uint64:
		raw, err := json.Marshal(v)
		if err != nil {
			return v // not a number JSON knows; the document's validation refuses it
		}
		return json.Number(raw)
	default:
		return v
	}
}

// Clone copies an object, deeply.
func Clone(v map[string]any) map[string]any {
	c, _ := clone(v).(map[string]any)
	return c
}

// Merge is v changed by patch: objects are merged, everything else is replaced.
// Where the patch changes the kind of an object (its "type"), the old attributes
// mean nothing any more, so the patch's properties replace the old ones whole.
func Merge(v, patch map[string]any) map[string]any {
	out := Clone(v)
	if out == nil {
		out = map[string]any{}
	}
	kindChanges := false
	if before, ok := v["type"]; ok {
		after, named := patch["type"]
		kindChanges = named && after != before
	}
	for name, change := range patch {
		old, wasObject := v[name].(map[string]any)
		inner, isObject := change.(map[string]any)
		if wasObject && isObject && !kindChanges {
			out[name] = Merge(old, inner)
			continue
		}
		out[name] = clone(change)
	}
	return out
}
