package shape

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// object is a JSON object whose members keep their order, so that a listed
// schema reads in the order that helps and never changes between two starts.
type object struct{ members []memberOf }

type memberOf struct {
	name  string
	value any
}

func (o *object) set(name string, value any) {
	o.members = append(o.members, memberOf{name, value})
}

// write appends v as JSON. It knows what schemas are made of: object, arrays,
// texts, numbers and booleans; anything else goes through encoding/json.
func write(dst []byte, v any) []byte {
	switch v := v.(type) {
	case *object:
		dst = append(dst, '{')
		for i, m := range v.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(writeText(dst, m.name), ':')
			dst = write(dst, m.value)
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = write(dst, item)
		}
		return append(dst, ']')
	case string:
		return writeText(dst, v)
	case int:
		return strconv.AppendInt(dst, int64(v), 10)
	case bool:
		return strconv.AppendBool(dst, v)
	case json.Number:
		if isNumber(string(v)) {
			return append(dst, v...)
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		return append(dst, "null"...)
	}
	return append(dst, text...)
}

// writeText quotes like encoding/json, without its care for HTML.
func writeText(dst []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < 0x20 || c == '"' || c == '\\' || c >= 0x7f {
			var out bytes.Buffer
			enc := json.NewEncoder(&out)
			enc.SetEscapeHTML(false)
			_ = enc.Encode(text) // a text always encodes
			return append(dst, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, text...)
	return append(dst, '"')
}

func stringsToAny(in []string) []any {
	out := make([]any, len(in))
	for i, s := range in {
		out[i] = s
	}
	return out
}
