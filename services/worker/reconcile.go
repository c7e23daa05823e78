package worker

import (
	"context"
	"errors"
	"time"

	"github.com/comporta-mcp/comporta/pkg/approval"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// maxScan bounds one look at the queue. A longer queue is alive, or a person has
// been told by the metrics.
const maxScan = 20_000

// reconcile looks again and again for records that nobody works on: their
// message was lost or never came to be, or they are too old. Every
// worker does it; compare-and-set lets one of them act.
func (w *Worker) reconcile(ctx context.Context) {
	for ctx.Err() == nil {
		sleep(ctx, w.cfg.Reconcile)
		if err := w.reconcileOnce(ctx); err != nil && ctx.Err() == nil {
			w.log.WarnContext(ctx, "the operations could not be reconciled", "error", err)
		}
	}
}

// reconcileOnce looks at every open record once.
func (w *Worker) reconcileOnce(ctx context.Context) error {
	all, ok := w.live.snapshot()
	if !ok {
		return nil // the view is being read
	}
	var neglected []string
	for key, g := range all {
		if w.neglected(g) {
			neglected = append(neglected, key)
		}
	}
	if len(neglected) == 0 {
		return nil
	}
	queued, complete, err := w.parts.Store.Queued(ctx, maxScan)
	if err != nil {
		return err
	}
	var errs []error
	for _, key := range neglected {
		err := w.attendNeglected(ctx, key, queued[key], complete)
		if err != nil && !errors.Is(err, record.ErrConflict) && !errors.Is(err, record.ErrAbsent) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// neglected: nobody has touched the record for so long that it needs a look.
func (w *Worker) neglected(g glance) bool {
	now := w.parts.Now()
	if now.Before(g.leasedTo) {
		return false
	}
	idle := now.Sub(g.updated)
	if g.phase == operationv1.Phase_PHASE_AWAITING_APPROVAL {
		return now.Sub(g.created) > approval.Life
	}
	return idle > w.cfg.LostAfter
}

// attendNeglected does what one neglected record needs, judged by its present form.
func (w *Worker) attendNeglected(ctx context.Context, key string, queued, complete bool) error {
	rec, err := w.parts.Store.Load(ctx, key)
	if err != nil {
		return err
	}
	op := rec.Op
	if operation.Ended(op) || w.leaseLeft(op) > 0 {
		return nil
	}
	age := w.parts.Now().Sub(op.GetCreatedAt().AsTime())
	switch {
	case age > w.cfg.GiveUpAfter, op.GetPhase() == operationv1.Phase_PHASE_AWAITING_APPROVAL && approval.Expired(op, w.parts.Now()):
		return w.giveUp(ctx, rec, tooOld(op))
	case queued, !complete, op.GetPhase() == operationv1.Phase_PHASE_AWAITING_APPROVAL:
		return nil // it has its message, or may have it
	}
	w.log.WarnContext(ctx, "an operation has no queue message and is queued again",
		"operation", op.GetId(), "phase", operation.PhaseWord(op.GetPhase()), "published", op.GetPublished())
	w.metrics.requeued.Inc()
	return w.parts.Store.Requeue(ctx, rec)
}

// tooOld is the end of an operation that waited too long for something.
func tooOld(op *operationv1.Operation) *problem.Problem {
	switch {
	case op.GetPhase() == operationv1.Phase_PHASE_AWAITING_APPROVAL:
		return problem.New(problem.SinPermiso, "Nobody approved the call in time.").
			Because(problem.AprobacionExpirada).
			ToDo("Ask the person, then call the tool again.")
	case operation.Sent(op):
		return problem.New(problem.EstadoInvalido, "The operation did not end in time, and it is not known what the platform made of it.").
			NotRetryable().Because(problem.ResultadoDesconocido).
			ToDo("Look at the resource before you repeat the call.")
	default:
		return problem.New(problem.EstadoInvalido, "The operation could not be started in time. Nothing was sent to the platform.").
			ToDo("Repeat the call.").After(time.Minute)
	}
}
