package host

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/guard"
)

// newChain puts the stages around the execution, in contract §5's order: audit →
// rate limit → guards → idempotency → approval → tool → answer. Wrong arguments
// are refused after the rate limit, but not to a caller who may not even see the
// tool. A tool's own limits come last, so that a repeat with the same key gets
// its first answer instead of a refusal, and a refused call spends nothing.
// A call that comes back from its person is known before idempotency. Approval is the beginning of the tool itself: it turns the call into another kind of work.
func (g *Gate) newChain(execute call.Handler) call.Handler {
	s := g.wiring.Stages(g)
	var stages []call.Stage
	for _, stage := range []call.Stage{s.Audit, s.Quota, arguments, s.Guard, g.resumed, s.Idempotency, s.ToolLimits} {
		if stage != nil {
			stages = append(stages, stage)
		}
	}
	return call.Chain(execute, stages...)
}

// arguments refuses a call whose arguments are wrong.
func arguments(next call.Handler) call.Handler {
	return func(ctx context.Context, c *call.Call) (*call.Answer, error) {
		if p := guard.Visible(c.Principal, c.Tool); p != nil {
			return nil, p
		}
		if a := askedOf(ctx); a.fault != nil {
			return nil, a.fault
		}
		return next(ctx, c)
	}
}

// guarded runs the chain. A panic of one call is that call's internal error, and
// no reason to end the others.
func (g *Gate) guarded(ctx context.Context, c *call.Call) (result *call.Answer, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			result, err = nil, fmt.Errorf("panic in %s: %v\n%s", c.Tool.Name, caught, debug.Stack())
		}
	}()
	return g.chain(ctx, c)
}
