package platform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/comporta-mcp/comporta/pkg/problem"
)

// write takes the company's turn and sends. It sends again only where the try
// before certainly had no effect.
func (c *Client) write(ctx context.Context, r Request, out *outgoing) (*Answer, *problem.Problem) {
	release, refused := c.takeTurn(ctx, r)
	if refused != nil {
		return nil, refused
	}
	defer release()
	inTurn := c.now()
	for tries := 1; ; tries++ {
		if r.Leaving != nil {
			if err := r.Leaving(ctx); err != nil {
				return nil, stopped(r, err)
			}
		}
		got, err := c.exchange(ctx, r, out, cmp.Or(r.Timeout, c.cfg.Timeout))
		answer, refused, again := c.judgeWrite(ctx, r, got, err)
		if refused == nil {
			return answer, nil
		}
		wait, inTime := c.pause(tries, inTurn, 0)
		if !again || !inTime || ctx.Err() != nil || c.sleep(ctx, wait) != nil {
			return nil, refused
		}
	}
}

func (c *Client) takeTurn(ctx context.Context, r Request) (release func(), refused *problem.Problem) {
	if c.turns == nil || r.Tool.Harmless(r.Args) {
		return func() {}, nil
	}
	waiting, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	release, err := c.turns.Take(waiting, r.CompanyID)
	switch {
	case err == nil:
		return release, nil
	case ctx.Err() != nil:
		return nil, c.lost(ctx, r, fmt.Errorf("wait for a turn: %w", err))
	}
	return nil, problem.New(problem.EstadoInvalido, "Other changes of this company are still running, so %s was not sent.", r.Tool.Name).
		ToDo("Wait reintentar_en_segundos and call again.").After(defaultWait).Wrap(err)
}

// judgeWrite says what came of one try; again means that it certainly had no
// effect and that a repeat may go better.
func (c *Client) judgeWrite(ctx context.Context, r Request, got *reply, err error) (answer *Answer, refused *problem.Problem, again bool) {
	if err != nil {
		if lost, ok := errors.AsType[*lostError](err); ok && !lost.sent {
			return nil, c.lost(ctx, r, err), !timedOut(err)
		}
		return nil, Unknown(r.Tool).Wrap(err), false
	}
	if got.status/100 == 2 {
		if answer, err = decode(r.Tool.Binding, got); err != nil {
			return nil, c.unknownAfter(r, got).Wrap(err), false
		}
		return answer, nil, false
	}
	f := failureOf(r, got)
	switch {
	case got.status == http.StatusNotFound && r.Tool.Binding.Method == http.MethodDelete && !isPage(got.header.Get("Content-Type"), got.body):
		return alreadyAbsent(), nil, false
	case f.overlaps(got.status):
		return nil, c.refusal(r, got), true
	case effectUnknown(got, f):
		return nil, c.unknownAfter(r, got), false
	}
	return nil, c.refusal(r, got), false
}

func (c *Client) unknownAfter(r Request, got *reply) *problem.Problem {
	p := Unknown(r.Tool).From(got.status).With("status", got.status)
	if id := requestID(got.header); id != "" {
		p.With("solicitud", id)
	}
	return p
}

// alreadyAbsent is the answer to a deletion of what is not there: what was wanted holds.
func alreadyAbsent() *Answer {
	return &Answer{Status: http.StatusNotFound, Value: map[string]any{"state": "executed", "already_absent": true}}
}

// stopped is the problem of a write that its journal called back before it left.
func stopped(r Request, err error) *problem.Problem {
	if p, ok := errors.AsType[*problem.Problem](err); ok {
		return p
	}
	return problem.New(problem.EstadoInvalido, "%s could not be recorded, so it was not sent.", r.Tool.Name).
		ToDo("Wait reintentar_en_segundos and call again.").After(defaultWait).Wrap(err)
}

// bare drops the URL that net/http puts into its errors: a credential may stand in it.
func bare(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
