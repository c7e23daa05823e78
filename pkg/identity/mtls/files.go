// Package mtls owns mutual TLS 1.3 from certificate files that may be replaced
// while the process runs: new connections use the new files, without a restart.
// It knows gRPC's credentials and net/http's TLS configuration, and leaves who
// may do what to those who accept the connections.
package mtls

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"
)

// Files names the PEM files of one end of a connection.
type Files struct {
	CA         string `help:"PEM file with the certificates of the authorities that the other side must be signed by"`
	Cert       string `help:"PEM file with our own certificate and what stands between it and the authority"`
	Key        string `help:"PEM file with our own private key"`
	ServerName string `help:"name that the server's certificate must hold, when it is not the host that is dialled"`
}

// Validate lists every file that is not named.
func (f Files) Validate() error {
	var faults []error
	for _, file := range []struct{ key, name string }{{"ca", f.CA}, {"cert", f.Cert}, {"key", f.Key}} {
		if file.name == "" {
			faults = append(faults, fmt.Errorf("%s: name a PEM file; connections between services need certificates of both sides", file.key))
		}
	}
	return errors.Join(faults...)
}

// material is what the files held at one moment.
type material struct {
	roots *x509.CertPool // nil where no CA is named
	cert  tls.Certificate
}

func (f Files) load() (*material, error) {
	cert, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return nil, fmt.Errorf("certificate %s with key %s: %w", f.Cert, f.Key, err)
	}
	if f.CA == "" {
		return &material{cert: cert}, nil
	}
	pem, err := os.ReadFile(f.CA)
	if err != nil {
		return nil, fmt.Errorf("certificate authorities: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("certificate authorities %s: the file holds no PEM certificate", f.CA)
	}
	return &material{roots: roots, cert: cert}, nil
}

// stamp tells one state of the files from another.
type stamp struct {
	changed [3]time.Time
	size    [3]int64
}

func (f Files) stamp() (stamp, error) {
	var s stamp
	for i, name := range []string{f.CA, f.Cert, f.Key} {
		if name == "" {
			continue
		}
		info, err := os.Stat(name) // follows links: Kubernetes swaps a link to renew a secret
		if err != nil {
			return stamp{}, err
		}
		s.changed[i], s.size[i] = info.ModTime(), info.Size()
	}
	return s, nil
}
