package agent

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
)

// Servers are the servers an agent uses, by the name that their tools carry.
type Servers map[string]ServerConfig

// ServerConfig is one server: how it is reached, and what of it the agent may use.
type ServerConfig struct {
	// Transport is one of [Stdio], [HTTP], [SSE], [Proxy] and a [*Server] in this process.
	Transport Transport

	// Allow and Deny are patterns (see [path.Match]) of the server's own tool names.
	// An empty Allow allows every tool; what Deny names is never seen nor called.
	Allow, Deny []string

	// ConnectTimeout and CallTimeout replace those of [Options] where they are not zero.
	ConnectTimeout, CallTimeout time.Duration

	// Disabled keeps the server from being connected until [Manager.Enable].
	Disabled bool
}

// Transport is how a server is reached. The five in this package are all there are.
type Transport interface {
	dialer(name string, o *Options) (dialer, error)
}

// Stdio is a local server: a child process that reads requests from stdin and
// writes answers to stdout. It inherits PATH, HOME, USER, SHELL, TERM, TMPDIR,
// LANG, LC_* and XDG_*, and nothing else of this process's environment.
type Stdio struct {
	Command string // found on PATH, else taken as a file
	Args    []string
	Env     map[string]string // besides what is inherited
	Dir     string            // working folder; empty: this process's
}

// HTTP is a remote server that speaks streamable HTTP.
type HTTP struct {
	URL     string
	Headers map[string]string // sent to the URL's own origin only
	Client  *http.Client      // nil: that of [Options]
}

// SSE is a remote server that speaks the HTTP+SSE transport of 2024-11-05.
type SSE struct {
	URL     string
	Headers map[string]string // sent to the URL's own origin only
	Client  *http.Client      // nil: that of [Options]

	// MessagePath replaces the path of the address that the server names for
	// messages, where a proxy in front of it adds a prefix that it does not know.
	MessagePath string
}

// Proxy is a server behind a hosted proxy, which reaches many by their id. On the
// wire it is streamable HTTP to URL with {server_id} replaced by the id, escaped
// as one path segment; a URL without {server_id} gets it appended as the last
// segment. Everything else, the credential included, is between agent and proxy.
type Proxy struct {
	URL     string
	ID      string
	Headers map[string]string
	Client  *http.Client // nil: that of [Options]
}

// Prefix and separator of the names that tools carry: mcp__<server>__<tool>.
const (
	prefix    = "mcp__"
	separator = "__"
)

// validate tells every fault of the configuration at once.
func (s Servers) validate() []error {
	var faults []error
	for name, cfg := range s {
		if err := validate(name, cfg); err != nil {
			faults = append(faults, &ServerError{Server: name, Err: err})
		}
	}
	return faults
}

func validate(name string, cfg ServerConfig) error {
	if name == "" || strings.Contains(name, separator) || strings.HasSuffix(name, "_") {
		return fmt.Errorf("a server's name must not be empty, contain %q or end in %q", separator, "_")
	}
	if cfg.Transport == nil {
		return fmt.Errorf("no transport is configured")
	}
	for _, pattern := range slices.Concat(cfg.Allow, cfg.Deny) {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("pattern %q: %w", pattern, err)
		}
	}
	return nil
}

// permits reports whether the agent may use a tool of the server.
func (c *ServerConfig) permits(tool string) bool {
	named := func(pattern string) bool { ok, _ := path.Match(pattern, tool); return ok }
	if slices.ContainsFunc(c.Deny, named) {
		return false
	}
	return len(c.Allow) == 0 || slices.ContainsFunc(c.Allow, named)
}
