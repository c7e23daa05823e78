package answer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// goOn tells the very argument that fetches what was cut first out of a resource.
// nil: nothing that it could fetch was cut.
func goOn(whole, cut map[string]any) map[string]any {
	where, kept, found := firstCut(whole, cut, "")
	if !found {
		return nil
	}
	return goOnFrom(where, kept)
}

func goOnFrom(where string, kept int) map[string]any {
	return map[string]any{
		"mensaje":    problem.Sentence{Format: "The answer was too long and was cut. Each <key>_recortado is the true total. Call again with these arguments for what comes next of the first one: rango takes the place of a text or list, and characters or elements of it."}.String(),
		"argumentos": map[string]any{catalog.ArgRange: fmt.Sprintf("%s %d-", where, kept)},
	}
}

// firstCut finds the first text or list of which not all was kept, by names in
// their order, and how much of it was.
func firstCut(whole, cut any, where string) (place string, kept int, found bool) {
	if _, like := contentOf(whole); !like {
		cut = unwrapped(cut)
	}
	switch whole := whole.(type) {
	case string:
		short, _ := cut.(string)
		return where, utf8.RuneCountInString(short), len(short) < len(whole)
	case []any:
		short, _ := cut.([]any)
		for i, element := range short {
			if place, kept, found = firstCut(whole[i], element, fmt.Sprintf("%s[%d]", where, i)); found {
				return place, kept, true
			}
		}
		return where, len(short), len(short) < len(whole)
	case map[string]any:
		short, _ := cut.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(whole)) {
			if key == "" || strings.ContainsAny(key, ".[] \t\n\r") {
				continue // no place has such a name
			}
			if place, kept, found = firstCut(whole[key], short[key], strings.TrimPrefix(where+"."+key, ".")); found {
				return place, kept, true
			}
		}
	}
	return "", 0, false
}
