package worker

import (
	"context"
	"fmt"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// succeed ends the operation with the answer that the tool itself would have given.
func (w *Worker) succeed(ctx context.Context, j *job, tool *catalog.Tool, value map[string]any) error {
	shaped := w.parts.Shape(tool, value)
	var failed error
	err := j.save(ctx, func(op *operationv1.Operation) { failed = operation.Succeed(op, shaped) })
	if failed != nil {
		return failed
	}
	return err
}

// fail ends the operation with a problem.
func (w *Worker) fail(ctx context.Context, j *job, p *problem.Problem) error {
	w.log.InfoContext(ctx, "an operation failed", "operation", j.op().GetId(), "tool", j.op().GetTool(), "error", p)
	return j.save(ctx, func(op *operationv1.Operation) { operation.Fail(op, p) })
}

// told lets the audit and the metrics know that the operation has ended.
func (w *Worker) told(ctx context.Context, op *operationv1.Operation) error {
	if err := w.spend(ctx, op); err != nil {
		return fmt.Errorf("tell auth of the end of operation %s: %w", op.GetId(), err)
	}
	failed, outcome := operation.Failure(op), "ok"
	if failed != nil {
		outcome = string(failed.Code)
	}
	if err := w.parts.Audit.Operation(ctx, op, failed); err != nil {
		return fmt.Errorf("record the end of operation %s: %w", op.GetId(), err)
	}
	w.metrics.ended.WithLabelValues(op.GetArea(), outcome).Inc()
	return nil
}

// retire ends an operation that failed each time, loudly.
func (w *Worker) retire(ctx context.Context, rec *operation.Record) error {
	op := rec.Op
	w.log.ErrorContext(ctx, "an operation is retired: it failed each time",
		"operation", op.GetId(), "tool", op.GetTool(), "tries", op.GetTries(), "call", op.GetCallId())
	p := problem.As(fmt.Errorf("failed %d times", op.GetTries()))
	if operation.Sent(op) {
		p = p.Because(problem.ResultadoDesconocido).NotRetryable()
	}
	if err := w.parts.Store.Save(ctx, rec, func(op *operationv1.Operation) { operation.Fail(op, p) }); err != nil {
		return err
	}
	w.metrics.retired.Inc()
	if err := w.told(ctx, rec.Op); err != nil {
		return err
	}
	return ErrRetired
}

// giveUp ends an operation that is too old, or was never accepted.
func (w *Worker) giveUp(ctx context.Context, rec *operation.Record, p *problem.Problem) error {
	w.log.WarnContext(ctx, "an operation is given up", "operation", rec.Op.GetId(), "tool", rec.Op.GetTool(),
		"phase", operation.PhaseWord(rec.Op.GetPhase()), "reason", p.What.String())
	if err := w.parts.Store.Save(ctx, rec, func(op *operationv1.Operation) { operation.Fail(op, p) }); err != nil {
		return fmt.Errorf("give up operation %s: %w", rec.Op.GetId(), err)
	}
	return w.told(ctx, rec.Op)
}
