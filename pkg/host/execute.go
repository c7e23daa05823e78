package host

import (
	"cmp"
	"context"
	"errors"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// execute is the end of the chain: it does what the tool is for, and shapes the
// answer, so that what idempotency keeps is what the agent saw.
func (g *Gate) execute(ctx context.Context, c *call.Call) (*call.Answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, abandoned(ctx)
	}
	tool := g.byName[c.Tool.Name]
	switch {
	case c.DryRun && tool.Preview != nil:
		return g.runHandWritten(ctx, c, tool.Preview)
	case c.DryRun:
		return g.preview(c)
	case guard.NeedsPerson(c.Principal, c.Tool):
		return g.askPerson(ctx, c)
	case tool.Run != nil:
		return g.runHandWritten(ctx, c, tool.Run)
	case c.Tool.Operation != nil:
		return g.operate(ctx, c)
	case c.Tool.Writes():
		return g.write(ctx, c)
	case c.Tool.List != nil:
		return g.listResources(ctx, c)
	default:
		return g.read(ctx, c)
	}
}

func (g *Gate) runHandWritten(ctx context.Context, c *call.Call, run call.Handler) (*call.Answer, error) {
	a, err := run(ctx, c)
	if err != nil {
		return nil, interrupted(ctx, err)
	}
	return &call.Answer{Value: shaped(ctx, c, a.Value), Text: a.Text}, nil
}

func (g *Gate) read(ctx context.Context, c *call.Call) (*call.Answer, error) {
	got, err := g.wiring.Platform.Do(ctx, requestFor(c))
	if err != nil {
		return nil, g.refused(ctx, c, err)
	}
	if part := askedOf(ctx).page.Part; part != nil {
		if got.Value, err = part.Take(got.Value); err != nil {
			return nil, wrongPart(err)
		}
	}
	return answered(ctx, c, got), nil
}

// requestFor is the platform request of a call.
func requestFor(c *call.Call) platform.Request {
	return platform.Request{
		Tool:          c.Tool,
		Args:          c.Args,
		Authorization: c.Company.Authorization,
		CompanyID:     c.Company.ID,
		Key:           c.IdempotencyKey,
		Holder: platform.Holder{
			PersonID: c.Principal.Person.ID, LinkID: c.Principal.Link.ID, CallID: c.ID, ID: cmp.Or(c.Reserved, c.ID),
		},
	}
}

func answered(ctx context.Context, c *call.Call, got *platform.Answer) *call.Answer {
	c.Trace.Upstream = got.Status
	return &call.Answer{Value: shaped(ctx, c, got.Value)}
}

func shaped(ctx context.Context, c *call.Call, value map[string]any) map[string]any {
	a := askedOf(ctx)
	out := answer.Shape(c.Tool, value, a.page)
	if a.clamped != nil {
		out["limit_ajustado"] = a.clamped
	}
	return out
}

// refused notes what the platform said and helps with what may have been meant.
func (g *Gate) refused(ctx context.Context, c *call.Call, err error) error {
	p := problem.As(interrupted(ctx, err))
	c.Trace.Upstream = p.Upstream
	if p.Code == problem.NoEncontrado {
		g.suggest(ctx, c, p)
	}
	return p
}

// interrupted says why a call ended early, where that is the reason of err.
func interrupted(ctx context.Context, err error) error {
	if _, told := errors.AsType[*problem.Problem](err); told || ctx.Err() == nil {
		return err
	}
	return abandoned(ctx)
}

// abandoned is the problem of a call that nothing was done for, because its time
// was up or nobody waits for it.
func abandoned(ctx context.Context) *problem.Problem {
	if cause := context.Cause(ctx); errors.Is(cause, errCancelled) || errors.Is(cause, errGone) || errors.Is(cause, context.Canceled) {
		return problem.New(problem.EstadoInvalido, "The call was cancelled before it was done.").
			Because(problem.Cancelada)
	}
	return problem.New(problem.EstadoInvalido, "The call took too long and was ended.").
		ToDo("Repeat the call, with a smaller limit or a filter where there is one.")
}
