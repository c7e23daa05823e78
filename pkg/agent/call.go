package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ErrUnknownEffect is wrapped by the error of a call whose connection was lost
// after it was sent: whether it took effect cannot be known here. A tool with an
// idempotency key, and any that is Idempotent, can simply be called again.
var ErrUnknownEffect = errors.New("the connection was lost before the answer came")

// CallOption changes one call.
type CallOption func(*call)

type call struct {
	timeout  time.Duration
	progress func(Progress)
}

// Within bounds the call.
func Within(d time.Duration) CallOption { return func(c *call) { c.timeout = d } }

// OnProgress is told how far the call is. The callback may use the Manager; the
// call returns after it.
func OnProgress(told func(Progress)) CallOption { return func(c *call) { c.progress = told } }

// Call calls a tool by the name that it has in [Manager.Tools]. args is marshalled
// to a JSON object; nil means no arguments.
//
// The error is a [*ToolError] where the tool itself says that it failed; it has
// what the server told, for the model. Any other error means that there was no
// answer: one that wraps [ErrUnknownEffect] leaves open whether it took effect.
// A context that ends cancels the call at the server, too.
func (m *Manager) Call(ctx context.Context, name string, args any, options ...CallOption) (*Result, error) {
	s, tool, err := m.find(name)
	if err != nil {
		return nil, err
	}
	raw, err := arguments(args)
	if err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", name, err)
	}
	c := call{timeout: s.cfg.CallTimeout}
	if c.timeout == 0 {
		c.timeout = m.opts.CallTimeout
	}
	for _, set := range options {
		set(&c)
	}
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.timeout, fmt.Errorf("no answer within %s: %w", c.timeout, context.DeadlineExceeded))
		defer cancel()
	}
	return m.opts.Retry.obey(ctx, func() (*Result, error) {
		result, err := s.callOnce(ctx, tool, raw, c.progress)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return newResult(name, result)
	})
}

// callOnce calls a tool over the live connection. A session that the server has
// forgotten is made anew, once: the server did not take the call.
func (s *server) callOnce(ctx context.Context, tool string, args json.RawMessage, progress func(Progress)) (*mcp.CallToolResult, error) {
	for again := true; ; again = false {
		live, err := s.session(ctx)
		if err != nil {
			return nil, cause(ctx, err)
		}
		result, err := live.call(ctx, tool, args, progress)
		switch {
		case err == nil:
			return result, nil
		case ctx.Err() != nil:
			return nil, cause(ctx, err)
		case errors.Is(err, mcp.ErrSessionMissing):
			s.forget(live)
			if !again {
				return nil, err
			}
		case cutOff(err):
			return nil, fmt.Errorf("%w: %w", ErrUnknownEffect, err)
		case endsConnection(err):
			awaitEnd(ctx, live)
			return nil, fmt.Errorf("%w: %w", ErrUnknownEffect, s.reason(live, err))
		default:
			return nil, err
		}
	}
}

// forget drops a connection that is of no more use.
func (s *server) forget(live session) {
	s.mu.Lock()
	if s.live == live {
		s.live, s.state, s.failed, s.err = nil, Failed, time.Time{}, mcp.ErrSessionMissing
	}
	s.mu.Unlock()
	live.close()
}

// reason is why a connection ended: disabled or replaced by us, or what it tells.
func (s *server) reason(live session, err error) error {
	s.mu.Lock()
	state := s.state
	s.mu.Unlock()
	if state == Disabled {
		return ErrDisabled
	}
	if isDone(live) {
		return live.why()
	}
	return err
}

// endsConnection reports whether a call failed because its connection did. The
// caller's own context is alive: what was cancelled is the connection's.
func endsConnection(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, mcp.ErrConnectionClosed) || errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed)
}

// awaitEnd waits until a connection that is ending has ended, so that it can tell
// why and nobody takes it for a live one.
func awaitEnd(ctx context.Context, live session) {
	select {
	case <-live.done():
	case <-ctx.Done():
	}
}

// cutOff reports whether an HTTP request was sent, as far as is known, and its
// answer did not come.
func cutOff(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return false
	}
	_, ok := errors.AsType[*url.Error](err)
	return ok || strings.Contains(err.Error(), noAnswer)
}

// noAnswer is go-sdk's word for a stream that ended before the answer; it has no
// error value for it.
const noAnswer = "request terminated without response"

func isDone(live session) bool {
	select {
	case <-live.done():
		return true
	default:
		return false
	}
}

// cause prefers the context's own reason.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func arguments(args any) (json.RawMessage, error) {
	if raw, ok := args.(json.RawMessage); ok && len(raw) == 0 {
		return json.RawMessage("{}"), nil // as models write a call without arguments
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	switch {
	case string(raw) == "null":
		return json.RawMessage("{}"), nil
	case raw[0] != '{':
		return nil, fmt.Errorf("they must be a JSON object")
	}
	return raw, nil
}
