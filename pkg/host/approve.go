package host

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/approval"
	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// maxWaiting bounds the calls of one link that wait for its person at the same
// time: nobody reads more than this with care.
const maxWaiting = 20

// askPerson keeps the call as an operation that waits for the link's person, and
// answers where they decide. Nothing that comes with a call can approve it: auth
// alone writes what the worker's credential is released for.
func (g *Gate) askPerson(ctx context.Context, c *call.Call) (*call.Answer, error) {
	if c.Tool.Binding == nil {
		return nil, problem.New(problem.SinPermiso, "%s needs the person's approval for each call, which cannot be given for this tool.", c.Tool.Name).
			ToDo("Ask the person to do this themselves on the platform, or to change when this link must ask.").
			Because(problem.Nunca)
	}
	if _, err := g.wiring.Platform.Preview(requestFor(c)); err != nil {
		return nil, err // nobody need decide on what cannot be sent
	}
	op, closed, err := g.newOperation(ctx, c)
	if err != nil {
		return nil, err
	}
	op.Phase = operationv1.Phase_PHASE_AWAITING_APPROVAL
	op.ApproveUrl = strings.TrimSuffix(g.cfg.AuthURL, "/") + approval.Path(op.GetLinkId(), op.GetId())
	same, err := g.alreadyAsked(ctx, c, op)
	if err != nil {
		return nil, err
	}
	if same != nil {
		c.Trace.OperationID, c.Trace.Repeat = same.GetId(), true
		op = same
	} else if err := g.keep(ctx, op, closed); err != nil {
		return nil, err
	}
	state, err := g.await(ctx, c, op)
	if err != nil {
		return nil, err
	}
	answered, err := g.begun(ctx, c, op, same == nil)
	if err == nil && state != "" && !operation.Ended(op) {
		answered.Ask = &call.Ask{URL: op.GetApproveUrl(), State: state}
	}
	return answered, err
}

// await lets auth know that the call waits. The state is for a client that can
// show the page to its person itself; "" for others.
func (g *Gate) await(ctx context.Context, c *call.Call, op *operationv1.Operation) (state string, err error) {
	var bound []byte
	if askedOf(ctx).elicits {
		if bound, err = boundOf(c); err != nil {
			return "", err
		}
	}
	state, err = g.wiring.Approvals.Await(context.WithoutCancel(ctx), op, bound)
	if err != nil {
		return "", problem.New(problem.EstadoInvalido, "The person cannot be asked right now, so nothing was started.").
			After(authPause).Wrap(err)
	}
	return state, nil
}

// begun submits a new operation; one that waits already is only told again.
func (g *Gate) begun(ctx context.Context, c *call.Call, op *operationv1.Operation, fresh bool) (*call.Answer, error) {
	if fresh {
		return g.submit(ctx, c, op)
	}
	return g.handle(ctx, c, op)
}

// alreadyAsked is the same call where it waits for its person already, so that an
// agent that repeats it does not make them read it twice. What is sealed or large
// cannot be compared, and a key says itself what is the same.
func (g *Gate) alreadyAsked(ctx context.Context, c *call.Call, op *operationv1.Operation) (*operationv1.Operation, error) {
	recent, _, err := g.wiring.Operations.List(ctx, op.GetLinkId(), 2*maxWaiting)
	if err != nil {
		return nil, err
	}
	open, waiting := allOpen(op, c), 0
	for _, earlier := range recent {
		if earlier.GetPhase() != operationv1.Phase_PHASE_AWAITING_APPROVAL || approval.Expired(earlier, c.At) {
			continue
		}
		waiting++
		if open && sameCall(earlier, op) {
			return earlier, nil
		}
	}
	if waiting >= maxWaiting {
		return nil, problem.New(problem.EstadoInvalido, "The person has %d calls of this link to decide on. No further one can wait.", waiting).
			ToDo("Ask the person to answer the pages in aprobar_en of listar_operaciones, or cancel what is not needed any more.").
			After(approval.Life / 10)
	}
	return nil, nil
}

// allOpen reports whether the record shows each argument of the call.
func allOpen(op *operationv1.Operation, c *call.Call) bool {
	var shown map[string]json.RawMessage
	return json.Unmarshal(op.GetArguments(), &shown) == nil && len(shown) == len(c.Args)
}

func sameCall(a, b *operationv1.Operation) bool {
	return a.GetTool() == b.GetTool() && a.GetCompanyId() == b.GetCompanyId() && bytes.Equal(a.GetArguments(), b.GetArguments()) &&
		a.GetIdempotencyKey() == "" && b.GetIdempotencyKey() == ""
}
