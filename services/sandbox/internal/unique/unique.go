// Package unique is the platform's refusal of what may be there once only.
package unique

import (
	"fmt"
	"net/http"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/engine"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
)

// Field wants a field's value to be that of no other item of the collection.
func Field(name string) func(*engine.Change) error {
	return func(c *engine.Change) error {
		others, err := c.Others()
		if err != nil {
			return err
		}
		for _, other := range others {
			if other[name] != nil && other[name] == c.After[name] {
				return refusal.Body(http.StatusConflict, "/"+name, fmt.Sprintf("%q exists already.", other[name]))
			}
		}
		return nil
	}
}
