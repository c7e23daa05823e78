// Package credential makes keys for objects, and shows the secret one in the answer
// that makes it and never again.
package credential

import (
	"crypto/rand"
	"time"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/engine"
)

// madeAt is the stored field, shown to nobody, of the moment of the one showing.
const madeAt = "_made_at"

// hidden stands in for a secret after that.
const hidden = "********"

// Check makes the keys of a new credential.
func Check(c *engine.Change) error {
	if c.Before == nil {
		c.After["access_key"], c.After["secret_key"] = rand.Text(), rand.Text()+rand.Text() // S3 secret keys have 40 characters, one text has 26
		c.After[madeAt] = c.At.Format(time.RFC3339Nano)
	}
	return nil
}

// Show hides the secret key, but from the answer of its making.
func Show(data map[string]any, at time.Time) {
	if data[madeAt] != at.Format(time.RFC3339Nano) {
		data["secret_key"] = hidden
	}
}
