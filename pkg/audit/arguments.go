package audit

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/telemetry/mask"
)

// maxArguments bounds a record's arguments (proto audit.v1: 4 KiB).
const maxArguments = 4 << 10

// cutKey stands in an object that lost something to the bound.
const cutKey = "_recortado"

// arguments are a call's arguments for the record: without secrets, JSON, bounded.
func (l *Log) arguments(secrets []string, args map[string]any) []byte {
	if len(args) == 0 {
		return []byte("{}")
	}
	if len(secrets) > 0 {
		args, _ = answer.Mask(secrets, args).(map[string]any)
	}
	hidden, _ := hide(l.masker, args).(map[string]any)
	return fit(hidden)
}

// hide gives a copy of v without what is a credential by its name or its shape.
func hide(m *mask.Masker, v any) any {
	switch v := v.(type) {
	case string:
		return m.Text(v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			if mask.Name(key) && !empty(value) {
				value = mask.Word
			}
			out[m.Text(key)] = hide(m, value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = hide(m, element)
		}
		return out
	default:
		return v
	}
}

// empty: nothing is hidden where there is nothing, and the record stays truthful.
func empty(v any) bool { return v == nil || v == "" }

// fit gives v as JSON of at most maxArguments bytes, cutting long texts and lists
// more and more until it fits; at last only the names of the arguments are left.
func fit(v map[string]any) []byte {
	for _, most := range []int{maxArguments, 1024, 256, 64, 16} {
		if text, ok := encode(shorten(v, most)); ok {
			return text
		}
	}
	names := slices.Sorted(maps.Keys(v))
	for n := min(len(names), 64); ; n /= 2 {
		short := make([]any, n)
		for i := range short {
			short[i] = cutText(names[i], 48)
		}
		if text, ok := encode(map[string]any{cutKey: len(names), "argumentos": short}); ok || n == 0 {
			return text
		}
	}
}

func encode(v any) ([]byte, bool) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return []byte(`{"` + cutKey + `":true}`), false
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
	return text, len(text) <= maxArguments
}

// shorten cuts texts to most bytes, and lists and objects to most/8 elements.
func shorten(v any, most int) any {
	elements := max(most/8, 4)
	switch v := v.(type) {
	case string:
		return cutText(v, most)
	case json.Number:
		return json.RawMessage(v) // every digit, and no quotes
	case []any:
		out := make([]any, 0, min(len(v), elements+1))
		for _, element := range v[:min(len(v), elements)] {
			out = append(out, shorten(element, most))
		}
		if len(v) > elements {
			out = append(out, map[string]any{cutKey: len(v)})
		}
		return out
	case map[string]any:
		out := make(map[string]any, min(len(v), elements+1))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if len(out) == elements && len(v) > elements {
				out[cutKey] = len(v)
				break
			}
			out[cutText(key, most)] = shorten(v[key], most)
		}
		return out
	default:
		return v
	}
}

// cutText cuts between characters.
func cutText(s string, most int) string {
	s = strings.ToValidUTF8(s, "\ufffd") // a record with any other text could not be written
	if len(s) <= most {
		return s
	}
	end := most
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
