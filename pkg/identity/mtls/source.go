package mtls

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"google.golang.org/grpc/credentials"
)

// recheck is how long the files are taken for unchanged after a look at them.
const recheck = time.Second

// Source gives the present certificates. It is safe for use by several goroutines.
type Source struct {
	files   Files
	log     *slog.Logger
	recheck time.Duration

	mu     sync.Mutex
	held   *material
	stamp  stamp
	looked time.Time
}

// Open reads the files, which must be complete and fit together now. Files that
// are broken later are reported to log, and the last good ones stay in use.
// Without files.CA the source is for Web only.
func Open(files Files, log *slog.Logger) (*Source, error) {
	stamp, err := files.stamp()
	if err != nil {
		return nil, fmt.Errorf("TLS files: %w", err)
	}
	held, err := files.load()
	if err != nil {
		return nil, fmt.Errorf("TLS files: %w", err)
	}
	return &Source{files: files, log: log, recheck: recheck, held: held, stamp: stamp, looked: time.Now()}, nil
}

// current gives what the files hold now, looking at most once per recheck.
func (s *Source) current() *material {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.looked) < s.recheck {
		return s.held
	}
	s.looked = time.Now()
	stamp, err := s.files.stamp()
	if err == nil && stamp == s.stamp {
		return s.held
	}
	var fresh *material
	if err == nil {
		fresh, err = s.files.load()
	}
	if err != nil {
		// Perhaps only one of the files is new yet: the next look decides.
		s.log.Warn("the new TLS files cannot be used; the old ones stay in use", "error", err)
		return s.held
	}
	s.held, s.stamp = fresh, stamp
	s.log.Info("using new TLS files", "cert", s.files.Cert)
	return fresh
}

// Server gives a gRPC server's credentials: every client must show a
// certificate that the CA signed.
func (s *Source) Server() credentials.TransportCredentials {
	return credentials.NewTLS(&tls.Config{
		MinVersion: tls.VersionTLS13,
		NextProtos: []string{"h2"},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			m := s.current()
			return &tls.Config{
				MinVersion:             tls.VersionTLS13,
				NextProtos:             []string{"h2"},
				Certificates:           []tls.Certificate{m.cert},
				ClientCAs:              m.roots,
				ClientAuth:             tls.RequireAndVerifyClientCert,
				SessionTicketsDisabled: true, // a resumed session would outlive its authority
			}, nil
		},
	})
}

// Web gives an HTTPS server's configuration: TLS 1.3, no client certificates.
func (s *Source) Web() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return &s.current().cert, nil
		},
	}
}
