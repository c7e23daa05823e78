package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"

	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// Later says that the operation is to be handled again.
type Later struct {
	After time.Duration
	Why   string
	// Cause is what went wrong; nil where nothing did and the operation only waits.
	Cause error
}

// Error says what is waited for.
func (l *Later) Error() string {
	if l.Cause != nil {
		return fmt.Sprintf("again in %s: %v", l.After, l.Cause)
	}
	return fmt.Sprintf("again in %s: %s", l.After, l.Why)
}

// Unwrap gives the cause.
func (l *Later) Unwrap() error { return l.Cause }

// ErrRetired: the operation was ended because it failed each time, or it never was one.
var ErrRetired = errors.New("the operation was retired")

// Handle takes the operation of this key one step further: to its end (nil), or to
// where it must be taken up again (*Later). ErrRetired says that it will never be;
// any other error, that the record could not even be read.
func (w *Worker) Handle(ctx context.Context, key string) error {
	rec, err := w.parts.Store.Load(ctx, key)
	if errors.Is(err, record.ErrAbsent) {
		w.log.WarnContext(ctx, "a queue message has no record: the operation was taken back or is too old", "key", key)
		return nil
	}
	if err != nil {
		return err
	}
	ctx, end := w.trace(ctx, rec.Op)
	err = w.handle(ctx, rec)
	end(err)
	return err
}

func (w *Worker) handle(ctx context.Context, rec *operation.Record) error {
	op := rec.Op
	switch {
	case operation.Ended(op):
		// A worker died between the end and its acknowledgement, or someone cancelled.
		return w.told(ctx, op)
	case op.GetPhase() == operationv1.Phase_PHASE_AWAITING_APPROVAL:
		return nil // it is published anew when the person has said yes
	case w.leaseLeft(op) > 0:
		return &Later{After: w.leaseLeft(op) + 50*time.Millisecond, Why: "another worker has it"}
	case w.hopeless(op):
		return w.retire(ctx, rec)
	}
	job, err := w.claim(ctx, rec)
	if err != nil {
		return err
	}
	err = w.safely(ctx, rec.Key, func() error { return w.carry(job.ctx, job) })
	job.leave() // first: a renewal must not follow the release of the lease
	return w.settle(ctx, job, err)
}

// settle turns what became of a try into what becomes of the operation. Only a
// try that failed stays counted.
func (w *Worker) settle(ctx context.Context, job *job, err error) error {
	giveBack := context.WithoutCancel(ctx)
	later, waits := errors.AsType[*Later](err)
	switch {
	case err == nil:
		return w.told(giveBack, job.op())
	case job.lost():
		return &Later{After: w.cfg.RetryMin, Why: "another worker took it over, or it was cancelled"}
	case waits:
	case errors.Is(ctx.Err(), context.Canceled):
		later = &Later{Why: "this worker is stopping"}
	case errors.Is(err, record.ErrAway), errors.Is(err, record.ErrUnsure):
		later = &Later{After: w.cfg.RetryMin, Why: "NATS is away"}
	}
	if later != nil {
		w.released(ctx, job, job.release(giveBack, func(op *operationv1.Operation) { op.Tries = 0 }))
		return later
	}
	w.log.WarnContext(ctx, "a try of an operation failed", "operation", job.op().GetId(),
		"tool", job.op().GetTool(), "tries", job.op().GetTries(), "error", err)
	w.released(ctx, job, job.release(giveBack, func(*operationv1.Operation) {}))
	if tries := job.op().GetTries(); int(tries) < w.cfg.MaxTries {
		return &Later{After: w.cfg.retryPause(tries), Cause: err}
	}
	return w.retire(giveBack, job.rec)
}

// hopeless: no further try is made. A lease that was never given back means that
// the last worker died, for which the operation is blamed only in the long run.
func (w *Worker) hopeless(op *operationv1.Operation) bool {
	if op.GetLease() != nil {
		return int(op.GetTries()) >= w.cfg.MaxCrashes
	}
	return int(op.GetTries()) >= w.cfg.MaxTries
}

// released notes a lease that could not be given back: the operation then waits
// until it is over.
func (w *Worker) released(ctx context.Context, job *job, err error) {
	if err != nil {
		w.log.WarnContext(ctx, "an operation could not be given back", "operation", job.op().GetId(), "error", err)
	}
}

// safely runs work; a panic in it is the operation's failure, not the worker's end.
func (w *Worker) safely(ctx context.Context, key string, work func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			w.metrics.panics.Inc()
			w.log.ErrorContext(ctx, "handling an operation panicked", "operation", key,
				"panic", fmt.Sprint(cause), "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	return work()
}

// leaseLeft is how long another worker still owns the operation.
func (w *Worker) leaseLeft(op *operationv1.Operation) time.Duration {
	if op.GetLease() == nil {
		return 0
	}
	return op.GetLease().GetUntil().AsTime().Sub(w.parts.Now())
}

// trace continues the trace of the call that began the operation.
func (w *Worker) trace(ctx context.Context, op *operationv1.Operation) (context.Context, func(error)) {
	parent := propagation.MapCarrier{"traceparent": op.GetTraceparent()}
	ctx = propagation.TraceContext{}.Extract(ctx, parent)
	ctx, span := w.parts.Tracer.Start(ctx, "operation "+op.GetTool())
	span.SetAttributes(
		attribute.String("operation.id", op.GetId()),
		attribute.String("operation.area", op.GetArea()),
	)
	return ctx, func(err error) {
		outcome := outcomeOf(err)
		if outcome == "failed" {
			span.RecordError(err)
		}
		span.SetAttributes(attribute.String("operation.outcome", outcome))
		span.End()
	}
}
