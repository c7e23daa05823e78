package auth

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/devcert"
)

func TestOnlyCallersOfOurAuthorityAreAnswered(t *testing.T) {
	w := newWorld(t)
	r := w.start(nil)
	strangers, err := devcert.Ensure(filepath.Join(t.TempDir(), "tls"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	ours, err := tls.LoadX509KeyPair(w.certs.Caller.Cert, w.certs.Caller.Key)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := tls.LoadX509KeyPair(strangers.Caller.Cert, strangers.Caller.Key)
	if err != nil {
		t.Fatal(err)
	}
	pem, err := os.ReadFile(w.certs.Caller.CA)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	tests := []struct {
		name   string
		cfg    *tls.Config
		answer bool
	}{
		{"a caller of our authority", &tls.Config{Certificates: []tls.Certificate{ours}}, true},
		{"a caller without a certificate", &tls.Config{}, false},
		{"a caller of another authority", &tls.Config{Certificates: []tls.Certificate{theirs}}, false},
		{"a caller that speaks TLS 1.2 only", &tls.Config{Certificates: []tls.Certificate{ours}, MaxVersion: tls.VersionTLS12}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.cfg.RootCAs, test.cfg.NextProtos = roots, []string{"h2"}
			err := preface(t.Context(), r.GRPC, test.cfg)
			if answered := err == nil; answered != test.answer {
				t.Errorf("answered: %v (%v), want %v", answered, err, test.answer)
			}
		})
	}
	t.Run("a server of another authority is not asked", func(t *testing.T) {
		files := w.certs.Caller
		files.CA = strangers.Caller.CA
		client, err := identity.Dial(identity.ClientConfig{Addresses: []string{r.GRPC}, TLS: files})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		if err := client.Ready(t.Context()); err == nil {
			t.Error("it was asked")
		}
	})
}

// preface connects and waits for the server's first HTTP/2 frame: with TLS 1.3 a
// client learns only then whether its certificate was accepted.
func preface(ctx context.Context, address string, cfg *tls.Config) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := (&tls.Dialer{Config: cfg}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return err
	}
	if _, err := conn.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")); err != nil {
		return err
	}
	_, err = conn.Read(make([]byte, 9))
	return err
}

// TestCertificatesAreReplacedWithoutARestart changes the authority itself: both
// ends have to take the new one for any new connection to work.
func TestCertificatesAreReplacedWithoutARestart(t *testing.T) {
	w := newWorld(t)
	r := w.start(nil)
	client := w.client(r)
	if err := client.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(w.certDir); err != nil {
		t.Fatal(err)
	}
	if _, err := devcert.Ensure(w.certDir, time.Now()); err != nil {
		t.Fatal(err)
	}
	eventually(t, 10*time.Second, func() string {
		fresh, err := identity.Dial(identity.ClientConfig{Addresses: []string{r.GRPC}, TLS: w.certs.Caller})
		if err != nil {
			t.Fatal(err)
		}
		defer fresh.Close()
		if err := fresh.Ready(t.Context()); err != nil {
			return fmt.Sprintf("a new client with the new certificates: %v", err)
		}
		return ""
	})
	if err := client.Ready(t.Context()); err != nil {
		t.Errorf("the old connection: %v", err)
	}
}
