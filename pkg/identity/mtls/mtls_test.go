package mtls

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity/mtls/issue"
)

// pki is an authority with a folder for the files that it issues.
type pki struct {
	t         *testing.T
	dir       string
	authority issue.Pair
}

func newPKI(t *testing.T) *pki {
	t.Helper()
	authority, err := issue.Authority("test", time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return &pki{t: t, dir: t.TempDir(), authority: authority}
}

// write issues a certificate for a host into the files.
func (p *pki) write(f Files, name, host string) {
	p.t.Helper()
	leaf, err := issue.Leaf(p.authority, name, []string{host}, time.Now(), time.Hour)
	if err != nil {
		p.t.Fatal(err)
	}
	for path, data := range map[string][]byte{f.CA: p.authority.Cert, f.Cert: leaf.Cert, f.Key: leaf.Key} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *pki) files(name string) Files {
	return Files{
		CA:   filepath.Join(p.dir, name+"-ca.pem"),
		Cert: filepath.Join(p.dir, name+".pem"),
		Key:  filepath.Join(p.dir, name+"-key.pem"),
	}
}

func open(t *testing.T, f Files) *Source {
	t.Helper()
	source, err := Open(f, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	source.recheck = 0 // look at every handshake
	return source
}

// shake makes one connection between the two and gives the server's name in its
// certificate and the client's as the other side saw it.
func shake(t *testing.T, server, client *Source, authority string) (serverName, clientName string, err error) {
	t.Helper()
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	type result struct {
		name string
		err  error
	}
	served := make(chan result, 1)
	go func() {
		conn, _, err := server.Server().ServerHandshake(there)
		r := result{err: err}
		if err == nil {
			r.name = peer(conn)
			go conn.Write([]byte("x")) // lets the client meet a late alert
		} else {
			_ = there.Close()
		}
		served <- r
	}()
	conn, _, err := client.Client().ClientHandshake(ctx, authority, here)
	if err == nil {
		serverName = peer(conn)
		_, err = conn.Read(make([]byte, 1))
	}
	if err != nil {
		_ = here.Close()
	}
	r := <-served
	return serverName, r.name, errors.Join(err, r.err)
}

func peer(conn net.Conn) string {
	state := conn.(interface{ ConnectionState() tls.ConnectionState }).ConnectionState()
	if state.Version != tls.VersionTLS13 {
		return "not TLS 1.3"
	}
	return state.PeerCertificates[0].Subject.CommonName
}

func TestBothEndsShowTheirCertificate(t *testing.T) {
	p := newPKI(t)
	p.write(p.files("server"), "server 1", "auth.test")
	p.write(p.files("client"), "client 1", "host.test")
	server, client := open(t, p.files("server")), open(t, p.files("client"))
	s, c, err := shake(t, server, client, "auth.test:8443")
	if err != nil || s != "server 1" || c != "client 1" {
		t.Errorf("met %q and %q: %v", s, c, err)
	}
	if _, _, err := shake(t, server, client, "other.test:8443"); err == nil {
		t.Error("a server with another name was believed")
	}
	named := p.files("client")
	named.ServerName = "auth.test"
	if _, _, err := shake(t, server, open(t, named), "10.0.0.1:8443"); err != nil {
		t.Errorf("a server with the configured name was not believed: %v", err)
	}
}

func TestNewFilesAreUsedAndBrokenOnesAreNot(t *testing.T) {
	p := newPKI(t)
	serverFiles, clientFiles := p.files("server"), p.files("client")
	p.write(serverFiles, "server 1", "auth.test")
	p.write(clientFiles, "client 1", "host.test")
	server, client := open(t, serverFiles), open(t, clientFiles)
	other := newPKI(t)
	steps := []struct {
		name           string
		change         func()
		server, client string // "": no connection
	}{
		{"at first", func() {}, "server 1", "client 1"},
		{"a new certificate of the same authority", func() { p.write(clientFiles, "client 2", "host.test") }, "server 1", "client 2"},
		{"a key without its certificate", func() { move(t, serverFiles.Cert, serverFiles.Cert+"-away") }, "server 1", "client 2"},
		{"a certificate that is cut off", func() { cut(t, clientFiles.Cert) }, "server 1", "client 2"},
		{"an authority of which only one end knows", func() { other.write(serverFiles, "server 3", "auth.test") }, "", ""},
		{"when the other end knows too", func() { other.write(clientFiles, "client 3", "host.test") }, "server 3", "client 3"},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			step.change()
			s, c, err := shake(t, server, client, "auth.test:8443")
			if step.server == "" {
				if err == nil {
					t.Errorf("%q and %q met", s, c)
				}
				return
			}
			if err != nil || s != step.server || c != step.client {
				t.Errorf("met %q and %q (%v), want %q and %q", s, c, err, step.server, step.client)
			}
		})
	}
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func cut(t *testing.T, path string) {
	t.Helper()
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
}

func TestFilesThatAreWrongAtTheStartAreNamed(t *testing.T) {
	p := newPKI(t)
	good := p.files("server")
	p.write(good, "server", "auth.test")
	empty := filepath.Join(p.dir, "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		files Files
		names string
	}{
		{"an authority file that is not there", Files{CA: "none.pem", Cert: good.Cert, Key: good.Key}, "none.pem"},
		{"an authority file without certificates", Files{CA: empty, Cert: good.Cert, Key: good.Key}, "empty.pem"},
		{"a certificate that is empty", Files{CA: good.CA, Cert: empty, Key: good.Key}, "empty.pem"},
		{"a key in the place of the certificate", Files{CA: good.CA, Cert: good.Key, Key: good.Key}, "server-key.pem"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Open(test.files, slog.New(slog.DiscardHandler))
			if err == nil || !strings.Contains(err.Error(), test.names) {
				t.Errorf("the error is %v, want one that names %s", err, test.names)
			}
		})
	}
	if err := (Files{}).Validate(); err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("the error is %v, want three faults", err)
	}
}
