package mcpconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/comporta-mcp/comporta/pkg/agent"
	"github.com/pelletier/go-toml/v2"
)

// Options are what a file's variables mean. The zero value is this process's.
type Options struct {
	Env       func(string) (string, bool) // ${VAR}; default os.LookupEnv
	Home      string                      // ${userHome}; default the person's
	Workspace string                      // ${workspaceFolder}; default the working folder
}

// ReadFile reads a file of any of the forms.
func ReadFile(path string) (agent.Servers, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	servers, err := Parse(data, Options{})
	if err != nil {
		return servers, fmt.Errorf("%s: %w", path, err)
	}
	return servers, nil
}

// Parse reads a configuration. A server whose entry is wrong is in the error; the
// others are there all the same.
func Parse(data []byte, o Options) (agent.Servers, error) {
	entries, err := entriesOf(data)
	if err != nil {
		return nil, err
	}
	v := newVariables(o)
	servers := agent.Servers{}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		var e entry
		var cfg agent.ServerConfig
		err := entries[name](&e)
		if err == nil {
			cfg, err = e.server(v)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("server %s: %w", name, err))
			continue
		}
		servers[name] = cfg
	}
	return servers, errors.Join(faults...)
}

// decode fills in an entry. Each is decoded by itself, so that a wrong one takes
// no other with it.
type decode func(*entry) error

// jsonFile is every place where a client that writes JSON lists its servers.
type jsonFile struct {
	MCPServers map[string]json.RawMessage `json:"mcpServers"`
	Servers    map[string]json.RawMessage `json:"servers"`
	MCP        struct {
		Servers map[string]json.RawMessage `json:"servers"`
	} `json:"mcp"`
	Codex map[string]json.RawMessage `json:"mcp_servers"`
}

func entriesOf(data []byte) (map[string]decode, error) {
	trimmed := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	if bytes.HasPrefix(trimmed, []byte("{")) || bytes.HasPrefix(trimmed, []byte("/")) {
		return jsonEntries(StripComments(trimmed))
	}
	return tomlEntries(trimmed)
}

func jsonEntries(data []byte) (map[string]decode, error) {
	var f jsonFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("the configuration is no JSON: %w", err)
	}
	all := map[string]decode{}
	for _, some := range []map[string]json.RawMessage{f.MCPServers, f.Servers, f.MCP.Servers, f.Codex} {
		for name, raw := range some {
			all[name] = func(e *entry) error { return json.Unmarshal(raw, e) }
		}
	}
	return all, nil
}

func tomlEntries(data []byte) (map[string]decode, error) {
	var f struct {
		Codex map[string]any `toml:"mcp_servers"`
	}
	if err := toml.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("the configuration is no TOML: %w", err)
	}
	all := map[string]decode{}
	for name, value := range f.Codex {
		all[name] = func(e *entry) error {
			raw, err := toml.Marshal(value)
			if err != nil {
				return err
			}
			return toml.Unmarshal(raw, e)
		}
	}
	return all, nil
}
