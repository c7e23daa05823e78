package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/comporta-mcp/comporta/pkg/agent/mcpconfig"
	"github.com/pelletier/go-toml/v2"
)

// Merge gives the text of a client's file with servers in it. What else is in the
// text stays as it is, a byte order mark too.
func (c Client) Merge(text []byte, servers []Server) ([]byte, error) {
	text, marked := bytes.CutPrefix(text, mark)
	merged := text
	for _, s := range servers {
		var err error
		if c.key == "" {
			merged, err = mergeTOML(merged, s.Name, c.entry(s))
		} else {
			merged, err = mergeJSON(merged, c.key, s.Name, c.entry(s))
		}
		if err != nil {
			return nil, fmt.Errorf("server %s: %w", s.Name, err)
		}
	}
	if err := c.compare(text, merged, servers); err != nil || !marked {
		return merged, err
	}
	return append(bytes.Clone(mark), merged...), nil
}

// mark is the byte order mark that some editors begin a file with.
var mark = []byte("\ufeff")

// compare makes sure of the promise: the file says the servers that were written,
// and without them what it said.
func (c Client) compare(before, after []byte, servers []Server) error {
	old, _, err := c.without(before, servers)
	if err != nil {
		return err
	}
	changed, written, err := c.without(after, servers)
	if err != nil {
		return fmt.Errorf("the file would not be readable any more: %w", err)
	}
	if !reflect.DeepEqual(old, changed) || !written {
		return errors.New("the file has a form in which other entries would change or the new one be overlooked; add the server by hand")
	}
	return nil
}

// without is what a text says besides the servers, and whether it has them all.
func (c Client) without(text []byte, servers []Server) (rest map[string]any, complete bool, err error) {
	all := map[string]any{}
	key := c.key
	if key == "" {
		key = codexKey
		if err := toml.Unmarshal(text, &all); err != nil {
			return nil, false, err
		}
	} else if len(bytes.TrimSpace(text)) > 0 {
		if err := json.Unmarshal(mcpconfig.StripComments(text), &all); err != nil {
			return nil, false, err
		}
	}
	entries, _ := all[key].(map[string]any)
	complete = true
	for _, s := range servers {
		if _, there := entries[s.Name]; !there {
			complete = false
		}
		delete(entries, s.Name)
	}
	if len(entries) == 0 {
		delete(all, key)
	}
	return all, complete, nil
}
