package certificate

import (
	"crypto/x509"
	"errors"
	"maps"
	"time"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/engine"
)

// Stored fields that no answer shows.
const (
	ownKey   = "_key"       // PEM; made here, for a signing request or an order
	verifyAt = "_verify_at" // when the authority begins to look, of an order
	doneAt   = "_done_at"   // when it issues or refuses, of an order
	fails    = "_fails"     // why it refuses, of an order
)

// Check reads an uploaded certificate, or begins an order or a signing request.
func Check(c *engine.Change) error {
	switch c.Operation {
	case "request_certificate":
		return order(c)
	case "create_certificate_signing_request":
		return request(c)
	}
	for _, name := range []string{ownKey, verifyAt, doneAt, fails} {
		if c.Before[name] != nil {
			c.After[name] = c.Before[name]
		}
	}
	if text, _ := c.Said["certificate"].(string); text == "" && c.Before != nil {
		keepUpload(c)
		return nil
	}
	return upload(c)
}

// keepUpload lets a write that names no certificate leave the old one alone.
func keepUpload(c *engine.Change) {
	for _, name := range []string{"certificate", "private_key"} {
		if c.After[name] == nil && c.Before[name] != nil {
			c.After[name] = c.Before[name]
		}
	}
}

func upload(c *engine.Change) error {
	text, _ := c.After["certificate"].(string)
	keyText, _ := c.After["private_key"].(string)
	if text == "" {
		if keyText != "" {
			return engine.Invalid("/certificate", "A private key needs its certificate.")
		}
		maps.Copy(c.After, map[string]any{"status": "pending", "status_detail": "It waits for its certificate."})
		return nil
	}
	chain, err := parseChain(text)
	if err != nil {
		return engine.Invalid("/certificate", "This cannot be used: "+err.Error()+".")
	}
	leaf := chain[0]
	if c.At.After(leaf.NotAfter) {
		return engine.Invalid("/certificate", "The certificate ended on "+leaf.NotAfter.UTC().Format(time.DateOnly)+".")
	}
	if c.After["type"] == "trusted_ca_certificate" {
		if !leaf.IsCA {
			return engine.Invalid("/certificate", "A trusted CA certificate must be that of an authority.")
		}
	} else if err := checkKey(c, leaf, keyText); err != nil {
		return err
	}
	delete(c.After, doneAt) // it is no order any more
	maps.Copy(c.After, map[string]any{
		"subject_name": names(leaf), "issuer": leaf.Issuer.String(),
		"validity": leaf.NotAfter.UTC().Format(time.RFC3339), "key_algorithm": algorithm(leaf.PublicKey),
		"managed": false, "status": "active", "status_detail": "",
	})
	return nil
}

// checkKey wants the key that goes with a certificate: the one sent with it, else
// the one that was made here for its signing request.
func checkKey(c *engine.Change, leaf *x509.Certificate, text string) error {
	if text == "" {
		text, _ = c.After[ownKey].(string)
	}
	if text == "" {
		return engine.Invalid("/private_key", "The certificate's private key is needed.")
	}
	key, err := parseKey(text)
	if err == nil && !belong(leaf, key) {
		err = errors.New("it is not that of the certificate")
	}
	if err != nil {
		return engine.Invalid("/private_key", "This cannot be used: "+err.Error()+".")
	}
	return nil
}
