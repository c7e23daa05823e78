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
		cfg, err := entries[name].server(v)
		if err != nil {
			faults = append(faults, fmt.Errorf("server %s: %w", name, err))
			continue
		}
		servers[name] = cfg
	}
	return servers, errors.Join(faults...)
}

// file is every place where a client lists its servers.
type file struct {
	MCPServers map[string]entry `json:"mcpServers"`
	Servers    map[string]entry `json:"servers"`
	MCP        struct {
		Servers map[string]entry `json:"servers"`
	} `json:"mcp"`
	Codex map[string]entry `json:"mcp_servers" toml:"mcp_servers"`
}

func entriesOf(data []byte) (map[string]entry, error) {
	var f file
	trimmed := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	if bytes.HasPrefix(trimmed, []byte("{")) || bytes.HasPrefix(trimmed, []byte("/")) {
		if err := json.Unmarshal(StripComments(trimmed), &f); err != nil {
			return nil, fmt.Errorf("the configuration is no JSON: %w", err)
		}
	} else if err := toml.Unmarshal(trimmed, &f); err != nil {
		return nil, fmt.Errorf("the configuration is no TOML: %w", err)
	}
	all := map[string]entry{}
	for _, some := range []map[string]entry{f.MCPServers, f.Servers, f.MCP.Servers, f.Codex} {
		maps.Copy(all, some)
	}
	return all, nil
}
