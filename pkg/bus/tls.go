package bus

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// TLSFiles are PEM files for the way to NATS. All empty: what the URL says.
type TLSFiles struct {
	CA   string `help:"PEM file of the authorities that sign NATS's certificates"`
	Cert string `help:"PEM file of our client certificate"`
	Key  string `help:"PEM file of our client certificate's key"`
}

// Validate lists all faults.
func (f TLSFiles) Validate() error {
	if (f.Cert == "") != (f.Key == "") {
		return errors.New("cert and key must be given together")
	}
	return nil
}

// config gives TLS 1.3 with these files; nil where none is named. The client
// certificate is read at each handshake, so that a renewed one is used.
func (f TLSFiles) config() (*tls.Config, error) {
	if f == (TLSFiles{}) {
		return nil, nil
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS13}
	if f.CA != "" {
		pem, err := os.ReadFile(f.CA)
		if err != nil {
			return nil, fmt.Errorf("NATS authorities: %w", err)
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("NATS authorities: no certificate in %s", f.CA)
		}
	}
	if f.Cert != "" {
		read := func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
			if err != nil {
				return nil, fmt.Errorf("NATS client certificate: %w", err)
			}
			return &pair, nil
		}
		if _, err := read(nil); err != nil {
			return nil, err
		}
		cfg.GetClientCertificate = read
	}
	return cfg, nil
}
