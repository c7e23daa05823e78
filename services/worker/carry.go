package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/once"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// carry takes a claimed operation as far as it goes now. nil: it has ended.
func (w *Worker) carry(ctx context.Context, j *job) error {
	tool, ok := w.parts.Tools(j.op().GetTool())
	if !ok {
		return fmt.Errorf("this worker knows no tool %q; workers are to be updated before hosts", j.op().GetTool())
	}
	request, err := w.request(ctx, j, tool)
	if err != nil {
		return w.verdict(ctx, j, tool, err)
	}
	if j.op().GetPhase() == operationv1.Phase_PHASE_VERIFYING {
		return w.verdict(ctx, j, tool, w.verify(ctx, j, request))
	}
	if err := w.unchanged(ctx, j.op(), request); err != nil {
		return w.verdict(ctx, j, tool, err)
	}
	if j.op().GetPhase() != operationv1.Phase_PHASE_EXECUTING {
		if err := j.save(ctx, enter(operationv1.Phase_PHASE_EXECUTING, "sending")); err != nil {
			return err
		}
	}
	// What a look after a crash finds may still be in the making.
	found := j.op().GetStep().GetState() == operationv1.Step_STATE_SENT
	answer, err := w.parts.Writer.Write(ctx, request, j)
	if j.refused != nil {
		err = j.refused // it did not leave
	}
	if err != nil {
		return w.verdict(ctx, j, tool, err)
	}
	if tool.Operation == nil || tool.Operation.Probe == "" {
		return w.succeed(ctx, j, tool, answer.Value)
	}
	switch state, word := stateOf(tool, answer); {
	case state == catalog.Failed:
		return w.fail(ctx, j, notCompleted(tool, word))
	case state == catalog.Done && !found:
		return w.succeed(ctx, j, tool, answer.Value)
	}
	if err := j.save(ctx, enter(operationv1.Phase_PHASE_VERIFYING, "waiting for the platform")); err != nil {
		return err
	}
	return &Later{After: w.cfg.VerifyMin, Why: "the platform is working on it"}
}

// enter begins a phase. An operation has two steps: the write, and its completion.
func enter(phase operationv1.Phase, step string) func(*operationv1.Operation) {
	done := int64(0)
	if phase == operationv1.Phase_PHASE_VERIFYING {
		done = 1
	}
	return func(op *operationv1.Operation) {
		op.Phase = phase
		op.Progress = &operationv1.Progress{Done: done, Total: 2, Step: step}
	}
}

// verdict decides what an error means for the operation: its end, a wait, or a
// failed try. The end is recorded here.
func (w *Worker) verdict(ctx context.Context, j *job, tool *catalog.Tool, err error) error {
	if err == nil || ctx.Err() != nil {
		return err // done, lost, or this worker is stopping
	}
	if later, ok := errors.AsType[*once.Later](err); ok {
		return &Later{After: later.After, Why: "it is not yet known whether the write took effect"}
	}
	p, ok := errors.AsType[*problem.Problem](err)
	switch {
	case !ok, p.Code == problem.Interno:
		return err
	case !p.Retryable:
		return w.fail(ctx, j, p)
	}
	op, now := j.op(), w.parts.Now()
	pause := max(w.outage(op), p.RetryAfter)
	switch {
	case !operation.Sent(op) && now.Sub(op.GetCreatedAt().AsTime()) < w.cfg.SendFor:
		return &Later{After: pause, Why: p.What.String()}
	case !operation.Sent(op):
		return w.fail(ctx, j, p)
	case now.Sub(op.GetStep().GetSentAt().AsTime()) < w.cfg.VerifyFor:
		return &Later{After: pause, Why: p.What.String()}
	default: // it was sent, and the platform could not be asked since
		return w.fail(ctx, j, platform.Unknown(tool).Wrap(p))
	}
}

// request is the platform request of the operation, made with the rights of this moment.
func (w *Worker) request(ctx context.Context, j *job, tool *catalog.Tool) (platform.Request, error) {
	op := j.op()
	principal, sealed, err := w.parts.Rights.Release(ctx, op)
	if refused, ok := errors.AsType[*identity.Refused](err); ok {
		return platform.Request{}, refusedOf(op, refused)
	}
	if errors.Is(err, identity.ErrCannotOpen) {
		return platform.Request{}, credentialLost(err)
	}
	if err != nil {
		w.log.WarnContext(ctx, "auth cannot be asked", "operation", op.GetId(), "error", err)
		return platform.Request{}, &Later{After: w.outage(op), Why: "auth cannot be asked"}
	}
	args, err := arguments(op.GetArguments(), sealed)
	if err == nil {
		err = w.addLarge(ctx, op, args)
	}
	if err != nil {
		return platform.Request{}, fmt.Errorf("read the arguments of operation %s: %w", op.GetId(), err)
	}
	company, ok := principal.Company(op.GetCompanyId())
	if !ok {
		return platform.Request{}, revoked(op, &identity.Refused{Kind: identity.RefusedRevoked})
	}
	if err := judge(op, principal, tool, args); err != nil {
		return platform.Request{}, err
	}
	return platform.Request{
		Tool: tool, Args: args, Authorization: company.Authorization,
		CompanyID: company.ID, Key: op.GetId(), Timeout: tool.Patience(args),
		Holder: platform.Holder{PersonID: op.GetPersonId(), LinkID: op.GetLinkId(), CallID: op.GetCallId(), ID: op.GetId()},
	}, nil
}

// outage is how long to wait for something that every operation needs: longer the
// longer this one has waited already.
func (w *Worker) outage(op *operationv1.Operation) time.Duration {
	waited := w.parts.Now().Sub(op.GetCreatedAt().AsTime())
	return min(max(waited/4, w.cfg.RetryMin), w.cfg.RetryMax)
}

// arguments are the open ones and the sealed ones; an argument with a secret
// anywhere inside is sealed whole.
func arguments(open, sealed []byte) (map[string]any, error) {
	args, err := decodeObject(open)
	if err != nil {
		return nil, err
	}
	secret, err := decodeObject(sealed)
	if err != nil {
		return nil, err
	}
	maps.Copy(args, secret)
	return args, nil
}

// addLarge adds the arguments that were too large for the record. Who only looks
// whether the platform is done needs none of them.
func (w *Worker) addLarge(ctx context.Context, op *operationv1.Operation, args map[string]any) error {
	key, closed := args[operation.PayloadKey].(string)
	if delete(args, operation.PayloadKey); !closed || op.GetPhase() == operationv1.Phase_PHASE_VERIFYING {
		return nil
	}
	payload, err := w.parts.Store.Payload(ctx, op, key)
	if err != nil {
		return err
	}
	large, err := decodeObject(payload)
	maps.Copy(args, large)
	return err
}
