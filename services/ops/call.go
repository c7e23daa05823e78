package ops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/ops/internal/call"
)

// Call is the configuration of the command call.
type Call struct {
	Areas   map[string]string `help:"public base URL of each area, by area"`
	Through map[string]string `help:"host:port to connect to in place of an area's own, by area"`
	Plain   bool              `help:"speak HTTP where the public URL says HTTPS: for who stands behind what ends TLS"`
	Token   identity.Secret   `secret:"true" help:"a personal token of the platform; without one only the way to sign in is looked at"`
	Sandbox string            `help:"base URL of a sandbox that lends a person's token; empty: none"`
	Timeout time.Duration     `help:"longest time for everything"`
}

func callDefaults() Call { return Call{Timeout: time.Minute} }

// Validate lists all faults.
func (c Call) Validate() error {
	var faults []error
	if len(c.Areas) == 0 {
		faults = append(faults, errors.New("areas: name at least one, as build=https://build-mcp.example.com"))
	}
	if c.Timeout <= 0 {
		faults = append(faults, errors.New("timeout: must be more than 0"))
	}
	return errors.Join(faults...)
}

// Run tries every area and tells each; one that fails makes the whole fail.
func (c Call) Run(ctx context.Context, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	token := c.Token
	if token == "" && c.Sandbox != "" {
		var err error
		if token, err = call.Borrow(ctx, c.Sandbox, "member"); err != nil {
			return err
		}
	}
	var faults []error
	for _, area := range slices.Sorted(maps.Keys(c.Areas)) {
		told, err := call.Area(ctx, call.Target{URL: c.Areas[area], Through: c.Through[area], Plain: c.Plain}, token)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", area, err))
			continue
		}
		say(out, "%s: %s", area, told)
	}
	return errors.Join(faults...)
}
