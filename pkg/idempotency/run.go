package idempotency

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// errLost ends a call whose record belongs to another repeat by now.
var errLost = errors.New("the idempotency record was lost to a repeat of the call")

// maxKept is the largest answer that is kept whole; the record's other fields need the rest.
const maxKept = record.MaxSize - 64<<10

// run carries the call out and records what came of it.
func (s *stage) run(ctx context.Context, c *call.Call, h *held, next call.Handler) (*call.Answer, error) {
	running, cancel := context.WithCancelCause(ctx)
	h.cancel = cancel
	var renewing sync.WaitGroup
	renewing.Go(func() { h.renew(running) })
	stop := func() { cancel(nil); renewing.Wait() }
	defer stop() // a panic passes through: for the record it is a crash

	c.Reserved, c.Journal = h.entry.repeat.GetOperationId(), h
	answer, err := next(running, c)
	stop()
	// The caller may have hung up; what happened is recorded all the same.
	if kept := h.settle(context.WithoutCancel(ctx), c, answer, err); kept != nil {
		// Not the caller's concern: the lease ends, and a repeat looks at the platform.
		s.Log.WarnContext(ctx, "the outcome of a keyed call could not be recorded",
			"call", c.ID, "tool", c.Tool.Name, "error", kept)
	}
	return answer, err
}

// settle records the call's outcome: a good one is kept, a refusal is forgotten,
// and one that may have had an effect is left to the next repeat, which finds the
// journal and looks at the platform first.
func (h *held) settle(ctx context.Context, c *call.Call, answer *call.Answer, err error) error {
	if err != nil && !mayHaveActed(h.Step(), err) {
		return h.remove(ctx)
	}
	var kept []byte
	if err == nil && !began(c, answer) {
		if kept, err = encoded(c, answer); err != nil {
			return err
		}
	}
	return h.save(ctx, func(r *operationv1.Repeat) { r.Answer, r.Lease = kept, nil })
}

// mayHaveActed: the failed call has, or may have, changed the platform. The
// journal tells: package once clears the step of a write that was refused.
func mayHaveActed(step *operationv1.Step, err error) bool {
	return step.GetState() != operationv1.Step_STATE_UNSPECIFIED ||
		problem.As(err).Unknown()
}

// began: the call's outcome is the operation that it reserved, so a repeat asks that.
func began(c *call.Call, answer *call.Answer) bool {
	return c.Trace.OperationID == c.Reserved || answer.Value["operacion_id"] == c.Reserved
}

func encoded(c *call.Call, answer *call.Answer) ([]byte, error) {
	value := answer.Value
	if value == nil {
		value = map[string]any{}
	}
	data, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode the answer of %s: %w", c.Tool.Name, err)
	}
	if len(data) > maxKept {
		return json.Marshal(tooBig(c))
	}
	return data, nil
}

// tooBig stands for an answer that cannot be kept: the repeat learns that the call
// worked, and where to read the rest.
func tooBig(c *call.Call) map[string]any {
	note := "The first call with this idempotency_key succeeded. Its answer was too large to be kept."
	if c.Tool.Retrieve != "" {
		note += " Call " + c.Tool.Retrieve + " to see the resource as it is now."
	}
	return map[string]any{"respuesta_omitida": true, "advertencia": note}
}
