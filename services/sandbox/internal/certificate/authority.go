package certificate

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"sync"
	"time"
)

// life is that of an issued certificate: 90 days, as Let's Encrypt's.
const life = 90 * 24 * time.Hour

type authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// issuer signs what is ordered.
var issuer = sync.OnceValues(func() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the authority's key: %w", err)
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "Sandbox Authority"},
		NotBefore:             time.Unix(0, 0),
		NotAfter:              time.Unix(1<<34, 0),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("make the authority's certificate: %w", err)
	}
	made, err := x509.ParseCertificate(der)
	return &authority{made, key}, err
})

// issue makes a certificate of a key for hosts, with the authority's behind it.
func issue(key crypto.Signer, hosts []string, at time.Time) (string, error) {
	by, err := issuer()
	if err != nil {
		return "", err
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: hosts[0]}, DNSNames: hosts,
		NotBefore: at.Add(-time.Hour), NotAfter: at.Add(life),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.certificate, key.Public(), by.key)
	if err != nil {
		return "", fmt.Errorf("issue a certificate: %w", err)
	}
	return armour("CERTIFICATE", der) + armour("CERTIFICATE", by.certificate.Raw), nil
}

// newKey makes a key of an algorithm as the platform names it.
func newKey(algorithm string) (crypto.Signer, error) {
	switch algorithm {
	case "rsa_4096":
		return rsa.GenerateKey(rand.Reader, 4096)
	case "rsa_2048":
		return rsa.GenerateKey(rand.Reader, 2048)
	default:
		return ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	}
}

func keyText(key crypto.Signer) (string, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	return armour("PRIVATE KEY", der), err
}

func armour(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
