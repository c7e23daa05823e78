package certificate

import (
	"cmp"
	"crypto/x509"
	"encoding/pem"
	"time"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/engine"
)

// CheckRevocationList reads a revocation list.
func CheckRevocationList(c *engine.Change) error {
	block, _ := pem.Decode([]byte(text(c.After["crl"])))
	if block == nil || block.Type != "X509 CRL" {
		return engine.Invalid("/crl", "It is no revocation list in PEM.")
	}
	list, err := x509.ParseRevocationList(block.Bytes)
	if err != nil {
		return engine.Invalid("/crl", "It cannot be read as a revocation list.")
	}
	c.After["issuer"] = cmp.Or(list.Issuer.String(), "unnamed")
	c.After["last_update"] = list.ThisUpdate.UTC().Format(time.RFC3339)
	c.After["next_update"] = cmp.Or(list.NextUpdate, list.ThisUpdate).UTC().Format(time.RFC3339)
	return nil
}
