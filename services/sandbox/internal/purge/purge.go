// Package purge remembers what was purged: there is no cache that it could empty.
package purge

import (
	"time"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/engine"
)

// Log is where the engine keeps what was purged.
const Log = "purges"

// Request is create_purge_request: it is written down and answered as it came.
func Request(act *engine.Action) (map[string]any, error) {
	return act.Body, act.Keep(Log, map[string]any{
		"at": act.At.Format(time.RFC3339Nano), "type": act.Path[0], "items": act.Body["items"], "layer": act.Body["layer"],
	})
}
