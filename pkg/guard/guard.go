// Package guard owns the reasons to say no to a call: tools no agent may use,
// the area, read-only callers, tools for admins, resources outside the approved
// scope, and missing confirmation; and it says which calls need a person's yes,
// which others then ask for. It decides from the call and its principal alone,
// except that it asks for a resource's name where one must be repeated. Who calls
// is settled before, and limits and repeats are other stages.
package guard

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/call"
)

// Namer knows the exact name of the resource that a call is about. It answers
// with a no_encontrado problem where there is no such resource.
type Namer interface {
	Name(ctx context.Context, c *call.Call) (string, error)
}

// Options are what the guard needs from others.
type Options struct {
	Names Namer
}

// Stage refuses what may not be done. A dry run needs neither confirmation nor
// approval, since nothing happens; it needs the right to write, because a
// read-only caller does not even see the tool.
func Stage(o Options) call.Stage {
	return func(next call.Handler) call.Handler {
		return func(ctx context.Context, c *call.Call) (*call.Answer, error) {
			if p := Allowed(c); p != nil {
				return nil, p
			}
			if c.DryRun {
				return next(ctx, c)
			}
			if err := confirmed(ctx, c, o.Names); err != nil {
				return nil, err
			}
			return next(ctx, c)
		}
	}
}
