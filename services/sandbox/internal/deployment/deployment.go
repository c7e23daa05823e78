// Package deployment is the platform's rule that a workload has one current
// deployment: the first, until another is made so.
package deployment

import "github.com/comporta-mcp/comporta/services/sandbox/internal/engine"

// Check leaves a workload one current deployment.
func Check(c *engine.Change) error {
	others, err := c.Others()
	if err != nil {
		return err
	}
	for _, name := range []string{"current", "active"} {
		if c.After[name] == nil {
			c.After[name] = name == "active" || len(others) == 0
		}
	}
	if c.After["current"] != true {
		return nil
	}
	return c.Alter(func(other map[string]any) bool {
		was := other["current"] == true
		other["current"] = false
		return was
	})
}
