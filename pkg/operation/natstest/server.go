// Package natstest runs a real NATS server inside a test, which can stop it and
// start it again on the same folder and port, as an operator or a power cut does.
package natstest

import (
	"log/slog"
	"net/url"
	"os"
	"strconv"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
)

// Server is one NATS server of a test.
type Server struct {
	Dir string // its folder
	URL string

	t   testing.TB
	now *embedded.Server
}

// Start runs a server until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{t: t, Dir: t.TempDir()}
	s.Start()
	t.Cleanup(s.Stop)
	return s
}

// Start starts the server that Stop stopped, where it was before.
func (s *Server) Start() {
	s.t.Helper()
	port := -1
	if s.URL != "" {
		where, err := url.Parse(s.URL)
		if err != nil {
			s.t.Fatal(err)
		}
		if port, err = strconv.Atoi(where.Port()); err != nil {
			s.t.Fatal(err)
		}
	}
	server, err := embedded.Start(embedded.Options{Dir: s.Dir, Port: port, Lax: true})
	if err != nil {
		s.t.Fatal(err)
	}
	s.now, s.URL = server, server.URL()
}

// Stop stops the server; its folder stays.
func (s *Server) Stop() {
	if s.now != nil {
		s.now.Stop()
		s.now = nil
	}
}

// Copy copies the folder of a stopped server to a new one and gives its name.
func (s *Server) Copy(folder string) string {
	s.t.Helper()
	to := s.t.TempDir()
	if err := os.CopyFS(to, os.DirFS(folder)); err != nil {
		s.t.Fatal(err)
	}
	return to
}

// Connect opens a connection on which every bucket and stream is there.
func (s *Server) Connect() *bus.Bus {
	s.t.Helper()
	b := s.Dial()
	if err := b.Ensure(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	return b
}

// Dial opens a connection, whether or not the server runs.
func (s *Server) Dial() *bus.Bus {
	s.t.Helper()
	b, err := bus.Connect(bus.Config{URL: s.URL}, s.t.Name(), slog.New(slog.DiscardHandler), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(b.Close)
	return b
}
