package answer

import (
	"encoding/json"
	"unicode/utf8"
)

// size is how many characters v takes as JSON text, exactly as Text writes it.
// It counts without building the text, since nearly every answer fits.
func size(v any) int {
	switch v := v.(type) {
	case nil:
		return len("null")
	case bool:
		if v {
			return len("true")
		}
		return len("false")
	case string:
		return textSize(v)
	case json.Number:
		if v == "" {
			return 1 // encoding/json writes 0
		}
		return len(v)
	case map[string]any:
		n := max(len(v)*2+1, 2) // braces, colons and commas
		for key, value := range v {
			n += textSize(key) + size(value)
		}
		return n
	case []any:
		n := max(len(v)+1, 2) // brackets and commas
		for _, element := range v {
			n += size(element)
		}
		return n
	default:
		return otherSize(v)
	}
}

// otherSize measures Go values that a hand-written tool may answer with.
func otherSize(v any) int {
	text, err := Text(map[string]any{"": v})
	if err != nil {
		return len("null")
	}
	return utf8.RuneCountInString(text) - len(`{"":}`)
}

func textSize(s string) int {
	n := 2 // the quotes
	for i, r := range s {
		n += runeSize(s[i:], r)
	}
	return n
}

// runeSize is what encoding/json writes for a rune without HTML escaping.
func runeSize(rest string, r rune) int {
	switch r {
	case '"', '\\', '\b', '\f', '\n', '\r', '\t':
		return 2
	case '\u2028', '\u2029':
		return 6
	case utf8.RuneError:
		if _, width := utf8.DecodeRuneInString(rest); width == 1 {
			return 6 // a broken byte is written as \ufffd
		}
	}
	if r < 0x20 {
		return 6
	}
	return 1
}
