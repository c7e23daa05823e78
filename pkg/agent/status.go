package agent

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// State is where a server's connection stands.
type State string

// States.
const (
	Connecting State = "connecting"
	Connected  State = "connected"
	Failed     State = "failed" // given up for now; a later call or Enable tries again
	Disabled   State = "disabled"
)

// Status is how a server is, and why.
type Status struct {
	Server string
	State  State
	Err    error // why it is not Connected; nil when it is
	Tools  int   // that the agent may use
	Info   ServerInfo
	Stderr []string // the last lines of a child process
}

// ServerError is what went wrong with one server.
type ServerError struct {
	Server string
	Err    error
	Stderr []string // the last lines of a child process
}

func (e *ServerError) Error() string { return fmt.Sprintf("server %s: %v", e.Server, e.Err) }

// Unwrap gives the cause.
func (e *ServerError) Unwrap() error { return e.Err }

// Status tells of every server, by name.
func (m *Manager) Status() []Status {
	var all []Status
	for _, s := range m.sorted() {
		all = append(all, s.status())
	}
	return all
}

func (s *server) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Status{Server: s.name, State: s.state, Err: s.err, Stderr: s.stderr}
	if s.live != nil {
		st.Tools, st.Info, st.Stderr = len(s.tools), s.live.about(), stderrOf(s.live)
	}
	return st
}

// fault names the server in an error.
func (s *server) fault(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &ServerError{Server: s.name, Err: err, Stderr: s.stderr}
}

// stderrOf are the last lines of the child that v is about, if any.
func stderrOf(v any) []string {
	if err, ok := v.(error); ok {
		var c *childError
		if errors.As(err, &c) {
			return c.lines
		}
		return nil
	}
	if t, ok := v.(interface{ stderr() []string }); ok {
		return t.stderr()
	}
	return nil
}

// listing is why a server that answered the handshake did not list its tools.
func listing(v session, err error) error {
	err = fmt.Errorf("listing its tools: %w", err)
	if lines := stderrOf(v); len(lines) > 0 {
		return &childError{err, lines}
	}
	return err
}

// worthRepeating reports whether a connection that failed so could come about by
// itself: not a program that is not there, nor a server that answered no.
func worthRepeating(err error) bool {
	if _, ok := errors.AsType[*url.Error](err); ok {
		return true // the network, not the server; go-sdk wraps it in an error that looks like an answer
	}
	var answer *jsonrpc.Error
	if refused, ok := errors.AsType[*RefusedError](err); ok && refused.Status < 500 && refused.Status != http.StatusTooManyRequests {
		return false
	}
	return !errors.Is(err, exec.ErrNotFound) && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrPermission) &&
		!errors.As(err, &answer)
}
