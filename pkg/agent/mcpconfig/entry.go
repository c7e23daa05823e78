package mcpconfig

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/pkg/agent"
)

// entry is one server as any of the clients writes it.
type entry struct {
	Type    string            `json:"type" toml:"type"`
	Command string            `json:"command" toml:"command"`
	Args    []string          `json:"args" toml:"args"`
	Env     map[string]string `json:"env" toml:"env"`
	Dir     string            `json:"cwd" toml:"cwd"`

	URL       string            `json:"url" toml:"url"`
	ServerURL string            `json:"serverUrl"` // Windsurf
	HTTPURL   string            `json:"httpUrl"`   // Gemini
	ID        string            `json:"id"`        // of a server behind a proxy
	Headers   map[string]string `json:"headers"`

	HTTPHeaders    map[string]string `json:"-" toml:"http_headers"`         // Codex
	EnvHTTPHeaders map[string]string `json:"-" toml:"env_http_headers"`     // Codex: header → variable
	BearerEnv      string            `json:"-" toml:"bearer_token_env_var"` // Codex

	Disabled bool  `json:"disabled"`
	Enabled  *bool `json:"enabled" toml:"enabled"`

	Allow         []string `json:"includeTools"`                 // Gemini
	Deny          []string `json:"excludeTools"`                 // Gemini
	DisabledTools []string `json:"disabledTools"`                // Windsurf
	EnabledCodex  []string `json:"-" toml:"enabled_tools"`       // Codex
	DisabledCodex []string `json:"-" toml:"disabled_tools"`      // Codex
	StartSeconds  float64  `json:"-" toml:"startup_timeout_sec"` // Codex
	CallSeconds   float64  `json:"-" toml:"tool_timeout_sec"`    // Codex
}

// kind is the transport that a type names, or that the other keys mean.
func (e entry) kind() (string, error) {
	switch e.Type {
	case "stdio", "local":
		return "stdio", nil
	case "http", "streamable-http", "streamableHttp", "streamable_http", "remote":
		return "http", nil
	case "sse":
		return "sse", nil
	case "proxy", "claudeai-proxy":
		return "proxy", nil
	case "sdk":
		return "", fmt.Errorf("a server of type sdk lives in a program and cannot come from a file")
	case "":
	default:
		return "", fmt.Errorf("unknown type %q; known are stdio, http, sse, proxy", e.Type)
	}
	switch {
	case e.Command != "" && e.address() == "":
		return "stdio", nil
	case e.Command == "" && e.address() != "":
		return "http", nil
	}
	return "", fmt.Errorf("an entry needs either command or url")
}

func (e entry) address() string { return cmp.Or(e.URL, e.HTTPURL, e.ServerURL) }

// server is the entry with its variables expanded.
func (e entry) server(v *variables) (agent.ServerConfig, error) {
	kind, err := e.kind()
	if err != nil {
		return agent.ServerConfig{}, err
	}
	cfg := agent.ServerConfig{
		Allow: slices.Concat(e.Allow, e.EnabledCodex), Deny: slices.Concat(e.Deny, e.DisabledTools, e.DisabledCodex),
		ConnectTimeout: seconds(e.StartSeconds), CallTimeout: seconds(e.CallSeconds),
		Disabled: e.Disabled || e.Enabled != nil && !*e.Enabled,
	}
	url := v.expand(e.address())
	if kind == "stdio" {
		cfg.Transport = agent.Stdio{Command: v.expand(e.Command), Args: v.expandAll(e.Args), Env: v.expandValues(e.Env), Dir: v.expand(e.Dir)}
		if e.Command == "" {
			return cfg, fmt.Errorf("a server of type stdio needs a command")
		}
		return cfg, v.fault()
	}
	if url == "" {
		_ = v.fault()
		return cfg, fmt.Errorf("a server of type %s needs a url", kind)
	}
	headers := e.headers(v)
	switch kind {
	case "http":
		cfg.Transport = agent.HTTP{URL: url, Headers: headers}
	case "sse":
		cfg.Transport = agent.SSE{URL: url, Headers: headers}
	case "proxy":
		cfg.Transport = agent.Proxy{URL: url, ID: v.expand(e.ID), Headers: headers}
	}
	return cfg, v.fault()
}

func (e entry) headers(v *variables) map[string]string {
	headers := v.expandValues(e.Headers)
	set := func(name, value string) {
		if headers == nil {
			headers = map[string]string{}
		}
		headers[name] = value
	}
	for name, value := range e.HTTPHeaders {
		set(name, v.expand(value))
	}
	for name, variable := range e.EnvHTTPHeaders {
		set(name, v.lookup(variable))
	}
	if e.BearerEnv != "" {
		set("Authorization", "Bearer "+v.lookup(e.BearerEnv))
	}
	return headers
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
