// Package devcert keeps the certificates of a local run in a folder: an
// authority of its own, one certificate for auth and one for those who ask it.
// They are good for this machine only. In production a real authority makes
// them, and this package is not used.
package devcert

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/identity/mtls/issue"
)

const (
	life = 365 * 24 * time.Hour
	// margin is how long before its end a certificate is made anew: longer than a
	// local run is left alone.
	margin = 30 * 24 * time.Hour
)

// hosts is where a local auth answers.
var hosts = []string{"127.0.0.1", "::1", "localhost"}

// Files are the two ends of a connection.
type Files struct {
	Auth   identity.TLSFiles // for auth
	Caller identity.TLSFiles // for hosts and workers
}

// Ensure gives the certificates in the folder dir. What is there and good for
// another 30 days is used again; the rest is made, for one year. Keys have the mode 0600.
func Ensure(dir string, now time.Time) (Files, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Files{}, fmt.Errorf("certificates: %w", err)
	}
	authority, err := ensure(dir, "ca", now, isAuthority, func() (issue.Pair, error) {
		return issue.Authority("Comporta local authority", now, life)
	})
	if err != nil {
		return Files{}, err
	}
	for _, name := range []string{"auth", "caller"} {
		_, err := ensure(dir, name, now, signedBy(authority, now), func() (issue.Pair, error) {
			return issue.Leaf(authority, "comporta-"+name, hosts, now, life)
		})
		if err != nil {
			return Files{}, err
		}
	}
	return Files{Auth: files(dir, "auth"), Caller: files(dir, "caller")}, nil
}

func files(dir, name string) identity.TLSFiles {
	return identity.TLSFiles{CA: certFile(dir, "ca"), Cert: certFile(dir, name), Key: keyFile(dir, name)}
}

func certFile(dir, name string) string { return filepath.Join(dir, name+".pem") }
func keyFile(dir, name string) string  { return filepath.Join(dir, name+"-key.pem") }

// ensure gives the pair in the folder, or makes and writes a new one.
func ensure(dir, name string, now time.Time, good func(*x509.Certificate) bool, make func() (issue.Pair, error)) (issue.Pair, error) {
	if pair, err := read(dir, name); err == nil && usable(pair, now, good) {
		return pair, os.Chmod(keyFile(dir, name), 0o600)
	}
	pair, err := make()
	if err != nil {
		return issue.Pair{}, fmt.Errorf("make certificate %s: %w", name, err)
	}
	// The key first: a certificate without its key is seen and made again.
	if err := errors.Join(write(keyFile(dir, name), pair.Key), write(certFile(dir, name), pair.Cert)); err != nil {
		return issue.Pair{}, fmt.Errorf("write certificate %s: %w", name, err)
	}
	return pair, nil
}

func read(dir, name string) (issue.Pair, error) {
	cert, err := os.ReadFile(certFile(dir, name))
	if err != nil {
		return issue.Pair{}, err
	}
	key, err := os.ReadFile(keyFile(dir, name))
	return issue.Pair{Cert: cert, Key: key}, err
}

// usable reports whether certificate and key belong together, last long enough
// and are good for their purpose.
func usable(pair issue.Pair, now time.Time, good func(*x509.Certificate) bool) bool {
	if _, err := tls.X509KeyPair(pair.Cert, pair.Key); err != nil {
		return false
	}
	cert, err := pair.Certificate()
	return err == nil && now.After(cert.NotBefore) && now.Add(margin).Before(cert.NotAfter) && good(cert)
}

func isAuthority(cert *x509.Certificate) bool { return cert.IsCA }

// signedBy accepts what this authority signed for every one of hosts.
func signedBy(authority issue.Pair, now time.Time) func(*x509.Certificate) bool {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority.Cert)
	return func(cert *x509.Certificate) bool {
		for _, host := range hosts {
			if cert.VerifyHostname(host) != nil {
				return false
			}
		}
		_, err := cert.Verify(x509.VerifyOptions{
			Roots: roots, CurrentTime: now,
			KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
		})
		return err == nil
	}
}

// write replaces a file in one step. Its mode is 0600, of certificates too:
// they are nobody else's business.
func write(path string, content []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(content)
	if err := errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}
