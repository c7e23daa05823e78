package shape

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// needQuotes are the letters that mean something in a line.
const needQuotes = ",:\"|[]\n"

// isPlain reports whether a text can be taken for nothing else without quotes.
func isPlain(text string) bool {
	if text == "" || strings.ContainsAny(text, needQuotes) || text != strings.TrimSpace(text) {
		return false
	}
	return !slices.Contains([]string{"true", "false", "null"}, text) && !isNumber(text) && text[0] != '{'
}

// flow writes a value on one line, without the quotes that would be escaped once
// more inside a description: [{operator: starts_with, argument: /img}].
func flow(v any) string {
	switch v := v.(type) {
	case map[string]any:
		var fields []string
		for _, name := range sortedKeys(v) {
			fields = append(fields, name+": "+flow(v[name]))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, flow(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case string:
		if isPlain(v) {
			return v
		}
		return strconv.Quote(v)
	case nil:
		return "null"
	}
	return fmt.Sprint(v)
}
