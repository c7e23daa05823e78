// Package embedded runs NATS servers inside this process, for `make run` and
// for tests. It is a package of its own so that no production binary links it.
package embedded

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Options says where the server listens and keeps its data.
type Options struct {
	Dir  string // JetStream's folder; a second start on it finds all data
	Port int    // on 127.0.0.1; -1 picks a free one
	// Lax drops the fsync after each write. For tests that kill no machine.
	Lax bool
	// TLS, when set, is demanded of clients.
	TLS *tls.Config
}

// Server is a running NATS server.
type Server struct{ ns *server.Server }

// Start runs a server and waits until it takes connections.
func Start(o Options) (*Server, error) {
	return start(o, func(*server.Options) {})
}

func start(o Options, change func(*server.Options)) (*Server, error) {
	options := &server.Options{
		ServerName: "comporta-embedded",
		Host:       "127.0.0.1",
		Port:       o.Port,
		JetStream:  true,
		StoreDir:   o.Dir,
		SyncAlways: !o.Lax,
		NoSigs:     true,
		NoLog:      true,
	}
	if o.TLS != nil {
		options.TLSConfig, options.TLS, options.TLSTimeout = o.TLS, true, 2
	}
	change(options)
	ns, err := server.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("configure the embedded NATS server: %w", err)
	}
	go ns.Start()
	if !ns.ReadyForConnections(10 * time.Second) {
		ns.Shutdown()
		return nil, fmt.Errorf("the embedded NATS server did not start on port %d within 10 s", o.Port)
	}
	return &Server{ns: ns}, nil
}

// URL is where clients connect.
func (s *Server) URL() string { return s.ns.ClientURL() }

// Port is the port in URL, to start another server in the same place.
func (s *Server) Port() int {
	u, err := url.Parse(s.URL())
	if err != nil {
		return 0
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		return 0
	}
	return port
}

// Stop ends the server and waits for its files to be closed.
func (s *Server) Stop() {
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
}

// freePort asks the system for a port that nobody listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
