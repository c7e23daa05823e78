package connect

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// codexKey is the table of Codex's servers.
const codexKey = "mcp_servers"

// mergeTOML writes [mcp_servers.name] at the end of the text, or in the place of
// the table of that name.
func mergeTOML(text []byte, name string, entry map[string]any) ([]byte, error) {
	var before map[string]any
	if err := toml.Unmarshal(text, &before); err != nil {
		return nil, fmt.Errorf("the file is no TOML; mend it first: %w", err)
	}
	body, err := toml.Marshal(entry)
	if err != nil {
		return nil, err
	}
	head := "[" + codexKey + "." + tomlKey(name) + "]"
	table := head + "\n" + string(body)
	servers, _ := before[codexKey].(map[string]any)
	if _, there := servers[name]; !there {
		text = bytes.TrimRight(text, "\n")
		if len(text) > 0 {
			table = "\n\n" + table
		}
		return append(append([]byte(nil), text...), table...), nil
	}
	lines := strings.SplitAfter(string(text), "\n")
	start := indexOf(lines, 0, func(l string) bool { return l == head })
	if start < 0 {
		return nil, errors.New("it is there in a form that is not written here; change it by hand")
	}
	end := indexOf(lines, start+1, func(l string) bool {
		return strings.HasPrefix(l, "[") && !strings.HasPrefix(l, strings.TrimSuffix(head, "]")+".")
	})
	if end < 0 {
		end = len(lines)
	}
	for end > start+1 && isRemark(lines[end-1]) {
		end-- // what stands above a table is about it
	}
	rest := strings.TrimLeft(strings.Join(lines[end:], ""), "\r\n")
	if rest != "" {
		rest = "\n" + rest
	}
	return []byte(strings.Join(lines[:start], "") + table + rest), nil
}

// indexOf is the first line from i on that is meant, or -1.
func indexOf(lines []string, i int, meant func(string) bool) int {
	for ; i < len(lines); i++ {
		if meant(strings.TrimSpace(lines[i])) {
			return i
		}
	}
	return -1
}

// isRemark reports whether a line is blank or a comment.
func isRemark(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

// tomlKey quotes a key where it has to be.
func tomlKey(name string) string {
	for _, c := range name {
		if !(c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			return fmt.Sprintf("%q", name)
		}
	}
	return name
}
