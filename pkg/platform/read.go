package platform

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// read sends until there is an answer, a refusal that a repeat would not change,
// or the budget is spent.
func (c *Client) read(ctx context.Context, r Request, out *outgoing) (*Answer, *problem.Problem) {
	began, timeout := c.now(), c.cfg.Timeout
	for tries := 1; ; tries++ {
		got, err := c.exchange(ctx, r, out, timeout)
		if err == nil && got.status == http.StatusRequestedRangeNotSatisfiable && out.part != nil {
			if out.part.first > 0 {
				return nil, pastTheEnd(got)
			}
			out = out.whole() // an empty content has no first byte to ask for
			continue
		}
		if err == nil && got.pastTheEnd() {
			return nil, pastTheEnd(got)
		}
		answer, refused, asked := c.judgeRead(ctx, r, got, err)
		if refused == nil {
			return answer, nil
		}
		wait, inTime := c.pause(tries, began, asked)
		if ctx.Err() != nil || !inTime || !repeatable(refused) {
			return nil, refused
		}
		if c.sleep(ctx, wait) != nil {
			return nil, refused
		}
		timeout = min(c.cfg.Timeout, c.left(began))
		if timeout <= 0 {
			return nil, refused
		}
	}
}

// judgeRead says what came of one try; asked is how long the platform wants us to wait.
func (c *Client) judgeRead(ctx context.Context, r Request, got *reply, err error) (answer *Answer, refused *problem.Problem, asked time.Duration) {
	if err != nil {
		return nil, c.lost(ctx, r, err), 0
	}
	if got.status/100 != 2 {
		return nil, c.refusal(r, got), c.retryAfter(got.header)
	}
	answer, err = decode(r.Tool.Binding, got)
	switch {
	case err == nil:
		return answer, nil, 0
	case errors.Is(err, errTooLarge):
		return nil, tooLarge(r).From(got.status).Wrap(err), 0
	}
	return nil, unreadable(r, got).Wrap(err), 0
}

// lost is the problem of a request that got no answer and changed nothing.
func (c *Client) lost(ctx context.Context, r Request, err error) *problem.Problem {
	switch {
	case ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return problem.New(problem.EstadoInvalido, "The call of %s was cancelled before the platform answered; nothing changed.", r.Tool.Name).
			ToDo("Call again if the answer is still wanted.").Wrap(err)
	case timedOut(err):
		return problem.New(problem.EstadoInvalido, "The platform did not answer %s in time; nothing changed.", r.Tool.Name).
			ToDo("Call again later, or ask for less.").After(defaultWait).Wrap(err)
	}
	return problem.New(problem.EstadoInvalido, "The platform cannot be reached for %s; nothing changed.", r.Tool.Name).
		ToDo("Wait reintentar_en_segundos and call again.").After(defaultWait).Wrap(err)
}

func unreadable(r Request, got *reply) *problem.Problem {
	p := problem.New(problem.EstadoInvalido, "The platform's answer to %s cannot be read.", r.Tool.Name).
		ToDo("Wait reintentar_en_segundos and call again; if it keeps failing, tell the person that the platform has trouble.").
		With("operacion", r.Tool.Name).With("status", got.status).From(got.status).After(defaultWait)
	if id := requestID(got.header); id != "" {
		p.With("solicitud", id)
	}
	return p
}

func tooLarge(r Request) *problem.Problem {
	return problem.New(problem.EstadoInvalido, "The platform's answer to %s is larger than can be taken.", r.Tool.Name).
		ToDo("Ask for less: fewer elements, fewer fields, a filter.").
		NotRetryable().With("operacion", r.Tool.Name)
}

// repeatable reports whether the same read may go better in a moment.
func repeatable(p *problem.Problem) bool {
	return p.Retryable && (p.Code == problem.EstadoInvalido || p.Code == problem.LimiteExcedido) && !timedOut(p.Unwrap())
}

func timedOut(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || (errors.As(err, &timeout) && timeout.Timeout())
}

// pastTheEnd refuses a part that begins after the last byte.
func pastTheEnd(got *reply) *problem.Problem {
	total := int64(-1)
	if got.part != nil {
		total = got.part.total
	} else if _, told, ok := strings.Cut(got.header.Get("Content-Range"), "/"); ok {
		total = number(told)
	}
	if total >= 0 {
		return wrong(catalog.ArgRange, "begins past the end: the content has %d bytes", total).From(got.status)
	}
	return wrong(catalog.ArgRange, "begins past the end of the content").From(got.status)
}
