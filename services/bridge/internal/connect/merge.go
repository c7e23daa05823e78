package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/comporta-mcp/comporta/pkg/agent/mcpconfig"
	"github.com/pelletier/go-toml/v2"
)

// Merge gives the text of a client's file with servers in it. What else is in the
// text stays as it is.
func (c Client) Merge(text []byte, servers []Server) ([]byte, error) {
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
	return merged, c.compare(text, merged, servers)
}

// compare makes sure of the promise: without the servers that were written, the
// file says what it said.
func (c Client) compare(before, after []byte, servers []Server) error {
	old, err := c.without(before, servers)
	if err != nil {
		return err
	}
	changed, err := c.without(after, servers)
	if err != nil {
		return fmt.Errorf("the file would not be readable any more: %w", err)
	}
	if !reflect.DeepEqual(old, changed) {
		return errors.New("the file has a form in which other entries would change; add the server by hand")
	}
	return nil
}

func (c Client) without(text []byte, servers []Server) (map[string]any, error) {
	all := map[string]any{}
	key := c.key
	if key == "" {
		key = codexKey
		if err := toml.Unmarshal(text, &all); err != nil {
			return nil, err
		}
	} else if len(bytes.TrimSpace(text)) > 0 {
		if err := json.Unmarshal(mcpconfig.StripComments(text), &all); err != nil {
			return nil, err
		}
	}
	entries, _ := all[key].(map[string]any)
	for _, s := range servers {
		delete(entries, s.Name)
	}
	if len(entries) == 0 {
		delete(all, key)
	}
	return all, nil
}

// Write puts servers into a client's file and gives the name of the copy of what
// was there; empty where there was no file.
func (c Client) Write(file string, servers []Server, now time.Time) (backup string, err error) {
	text, err := os.ReadFile(file)
	fresh := errors.Is(err, fs.ErrNotExist)
	if err != nil && !fresh {
		return "", err
	}
	merged, err := c.Merge(text, servers)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	mode := fs.FileMode(0o600)
	if !fresh {
		info, err := os.Stat(file)
		if err != nil {
			return "", err
		}
		mode = info.Mode().Perm()
		backup = file + now.Format(".20060102-150405.bak")
		if err := os.WriteFile(backup, text, mode); err != nil {
			return "", fmt.Errorf("keeping a copy: %w", err)
		}
	}
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target // a link stays a link
	}
	return backup, write(file, merged, mode)
}

func write(file string, text []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	part := file + ".part"
	if err := os.WriteFile(part, text, mode); err != nil {
		return err
	}
	if err := os.Rename(part, file); err != nil {
		_ = os.Remove(part)
		return err
	}
	return nil
}
