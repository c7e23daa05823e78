package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/agent/mcpconfig"
	"github.com/tidwall/gjson"
)

// mergeJSON sets text[key][name] = entry by cutting it into the text where it
// belongs. Comments are looked past: without them every byte has the same place.
func mergeJSON(text []byte, key, name string, entry map[string]any) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	bare := mcpconfig.StripComments(text)
	if !json.Valid(bare) || !gjson.ParseBytes(bare).IsObject() {
		return nil, errors.New("the file is no JSON object; mend it first")
	}
	servers := gjson.GetBytes(bare, gjson.Escape(key))
	if !servers.Exists() {
		value, err := indented(map[string]any{name: entry}, "  ")
		if err != nil {
			return nil, err
		}
		return insert(text, bytes.IndexByte(bare, '{'), bare, key, value, "  "), nil
	}
	if !servers.IsObject() {
		return nil, errors.New("its " + key + " is no object; mend it first")
	}
	value, err := indented(entry, "    ")
	if err != nil {
		return nil, err
	}
	if old := gjson.GetBytes(bare, gjson.Escape(key)+"."+gjson.Escape(name)); old.Exists() {
		return splice(text, old.Index, old.Index+len(old.Raw), value), nil
	}
	return insert(text, servers.Index, bare, name, value, "    "), nil
}

// insert puts a member at the beginning of the object that opens at brace.
func insert(text []byte, brace int, bare []byte, name string, value []byte, indent string) []byte {
	quoted, _ := json.Marshal(name) // a string always marshals
	member := "\n" + indent + string(quoted) + ": " + string(value)
	if first := bytes.TrimLeft(bare[brace+1:], " \t\r\n"); len(first) > 0 && first[0] != '}' {
		member += ","
	} else {
		member += "\n" + strings.TrimSuffix(indent, "  ")
	}
	return splice(text, brace+1, brace+1, []byte(member))
}

func splice(text []byte, from, to int, with []byte) []byte {
	out := append([]byte(nil), text[:from]...)
	out = append(out, with...)
	return append(out, text[to:]...)
}

// indented is v as people write it, below a line that is indented by prefix.
func indented(v any, prefix string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
