package answer

import (
	"encoding/json"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// cutLists cuts every list that is the value of a key to MaxElements, in place,
// and notes the true total beside it. A list inside a list has no key to note
// it at and is left to the limit of the whole. It tells whether it cut any.
func cutLists(object map[string]any, layout *catalog.List) (cut bool) {
	for key, value := range object {
		switch value := value.(type) {
		case map[string]any:
			cut = cutLists(value, nil) || cut
		case []any:
			for _, element := range value {
				if inner, ok := element.(map[string]any); ok {
					cut = cutLists(inner, nil) || cut
				}
			}
			if len(value) > MaxElements {
				object[key] = value[:MaxElements:MaxElements]
				object[key+cutSuffix] = total(object, key, len(value), layout)
				cut = true
			}
		}
	}
	return cut
}

// total is how many elements there truly are: what the platform counts over all
// pages, where that is more than what came.
func total(object map[string]any, key string, came int, layout *catalog.List) int64 {
	n := int64(came)
	if layout == nil || layout.Key != key {
		return n
	}
	return max(n, whole(object[layout.TotalKey]))
}

func whole(v any) int64 {
	switch v := v.(type) {
	case json.Number:
		n, _ := v.Int64()
		return n
	case int:
		return int64(v)
	case int64:
		return v
	}
	return 0
}
