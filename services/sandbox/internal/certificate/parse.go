// Package certificate is what the platform does with certificates: it reads those
// that are uploaded, makes signing requests, has certificates issued over time, and
// reads revocation lists. Its authority is the sandbox's own, made anew by each
// process; nobody trusts it.
package certificate

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// parseChain reads certificates in PEM, the host's own first, each signed by the next.
func parseChain(text string) ([]*x509.Certificate, error) {
	var chain []*x509.Certificate
	for block, rest := pem.Decode([]byte(text)); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("it holds a %s; only certificates belong here", strings.ToLower(block.Type))
		}
		one, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, errors.New("a certificate in it cannot be read as X.509")
		}
		chain = append(chain, one)
	}
	if len(chain) == 0 {
		return nil, errors.New("it is no certificate in PEM")
	}
	for i := range len(chain) - 1 {
		if err := chain[i].CheckSignatureFrom(chain[i+1]); err != nil {
			return nil, fmt.Errorf("certificate %d of the chain is not signed by the next one", i+1)
		}
	}
	return chain, nil
}

// parseKey reads a private key in PEM: PKCS 8, PKCS 1 or SEC 1.
func parseKey(text string) (crypto.Signer, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("it is no private key in PEM")
	}
	if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		if signer, ok := key.(crypto.Signer); ok {
			return signer, nil
		}
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	return nil, errors.New("it is a private key of no known form, or encrypted")
}

// belong reports whether a key is that of a certificate.
func belong(c *x509.Certificate, key crypto.Signer) bool {
	public, ok := c.PublicKey.(interface{ Equal(crypto.PublicKey) bool })
	return ok && public.Equal(key.Public())
}

// algorithm names a public key as the platform does.
func algorithm(public any) string {
	switch key := public.(type) {
	case *rsa.PublicKey:
		return fmt.Sprintf("rsa_%d", key.N.BitLen())
	case *ecdsa.PublicKey:
		return fmt.Sprintf("ecc_%d", key.Curve.Params().BitSize)
	default:
		return fmt.Sprintf("%T", public)
	}
}

// names are the hosts of a certificate, its subject where it names none.
func names(c *x509.Certificate) []any {
	list := []any{}
	for _, name := range c.DNSNames {
		list = append(list, name)
	}
	if len(list) == 0 && c.Subject.CommonName != "" {
		list = append(list, c.Subject.CommonName)
	}
	return list
}
