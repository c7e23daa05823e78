package agent

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/comporta-mcp/comporta/pkg/agent/internal/child"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// started is a transport that remembers the child it started.
type started struct {
	child.Transport
	conn atomic.Pointer[child.Conn]
}

func (s *started) Connect(context.Context) (mcp.Connection, error) {
	conn, err := s.Start()
	if err != nil {
		return nil, err
	}
	s.conn.Store(conn)
	return conn, nil
}

// why ends the child and says how it ended; nil where it never started.
func (s *started) why() error {
	conn := s.conn.Load()
	if conn == nil {
		return nil
	}
	_ = conn.Close()
	err := conn.Why()
	if n, last := conn.Garbage(); n > 0 {
		return fmt.Errorf("%w; %d lines on stdout were no messages, the last: %q", err, n, last)
	}
	return err
}

func (s *started) stderr() []string {
	if conn := s.conn.Load(); conn != nil {
		return conn.Stderr()
	}
	return nil
}

// local is a session with a child process.
type local struct {
	session
	child *started
}

func (l *local) stderr() []string { return l.child.stderr() }

// childError is a failed start, with the child's last lines on stderr.
type childError struct {
	error
	lines []string
}

func (e *childError) Unwrap() error    { return e.error }
func (e *childError) stderr() []string { return e.lines }
