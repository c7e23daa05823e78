package observe

import "encoding/json"

const (
	defaultLimit = 50  // contract §5
	maxLimit     = 200 // contract §5
)

// limitOf brings a limit into its range; clamped is limit_ajustado where that changed it.
func limitOf(asked *int) (limit int, clamped map[string]any) {
	if asked == nil {
		return defaultLimit, nil
	}
	if limit = min(max(*asked, 1), maxLimit); limit != *asked {
		clamped = map[string]any{"pedido": *asked, "aplicado": limit}
	}
	return limit, clamped
}

// mostBytes is how long a page gets: below contract §5's 60 000 characters, so that
// no answer is cut where its cursor would not know of it.
const mostBytes = 50_000

// fitting is how many of the elements make a page, at least one.
func fitting(elements []any) int {
	size := 0
	for i, element := range elements {
		text, err := json.Marshal(element)
		if size += len(text) + 1; i > 0 && (size > mostBytes || err != nil) {
			return i
		}
	}
	return len(elements)
}

// into reads checked arguments into their struct.
func into(args map[string]any, in any) error {
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, in)
}
