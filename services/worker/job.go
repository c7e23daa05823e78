package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// errLost ends a try whose operation belongs to somebody else by now.
var errLost = errors.New("the operation was lost to another worker or cancelled")

// job is one operation that this worker owns while its lease lives. Each change
// of the record goes through compare-and-set, so a job that was lost can record
// nothing more, and hence send nothing more. It is the write's Journal.
type job struct {
	worker *Worker
	holder string
	ctx    context.Context // ends when the operation is lost
	cancel context.CancelCauseFunc
	over   *time.Timer // ends ctx when the lease was not renewed in time
	wg     sync.WaitGroup

	mu      sync.Mutex
	rec     *operation.Record
	refused error // auth's, when the write was about to leave
}

// claim makes the operation this worker's own and keeps it so until leave.
func (w *Worker) claim(ctx context.Context, rec *operation.Record) (*job, error) {
	j := &job{worker: w, rec: rec, holder: fmt.Sprintf("%s/%d", w.parts.Name, w.claims.Add(1))}
	j.ctx, j.cancel = context.WithCancelCause(ctx)
	j.over = time.AfterFunc(w.cfg.AckWait, func() { j.cancel(errLost) })
	err := j.save(ctx, func(op *operationv1.Operation) {
		op.Tries++
		op.Published = max(op.Published, 1) // its message is here, so it was published
	})
	if err != nil {
		j.leave()
		if errors.Is(err, record.ErrConflict) {
			return nil, &Later{After: w.cfg.RetryMin, Why: "another worker was faster"}
		}
		return nil, err
	}
	j.wg.Go(j.renew)
	return j, nil
}

// leave ends what claim began: the record is renewed no more. lost still tells.
func (j *job) leave() {
	j.cancel(nil)
	j.over.Stop()
	j.wg.Wait()
}

func (j *job) renew() {
	tick := time.NewTicker(j.worker.cfg.AckWait / 3)
	defer tick.Stop()
	for {
		select {
		case <-j.ctx.Done():
			return
		case <-tick.C:
			if err := j.save(j.ctx, func(*operationv1.Operation) {}); err != nil && j.ctx.Err() == nil {
				j.worker.log.WarnContext(j.ctx, "the lease of an operation could not be renewed", "operation", j.rec.Key, "error", err)
			}
		}
	}
}

// save stores what change makes of the operation and renews the lease.
func (j *job) save(ctx context.Context, change func(*operationv1.Operation)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if operation.Ended(j.rec.Op) {
		return nil // nothing changes any more; the last renewal may come late
	}
	until := j.worker.parts.Now().Add(j.worker.cfg.AckWait)
	began := time.Now()
	err := j.worker.parts.Store.Save(ctx, j.rec, func(op *operationv1.Operation) {
		op.Lease = &operationv1.Lease{Holder: j.holder, Until: timestamppb.New(until)}
		change(op)
	})
	if errors.Is(err, record.ErrConflict) {
		j.cancel(errLost)
	}
	if err == nil && j.ctx.Err() == nil {
		j.over.Reset(j.worker.cfg.AckWait - time.Since(began))
	}
	return err
}

// release gives the operation back before its lease ends.
func (j *job) release(ctx context.Context, change func(*operationv1.Operation)) error {
	return j.save(ctx, func(op *operationv1.Operation) {
		op.Lease = nil
		change(op)
	})
}

// op is the operation as it was last stored; not to be changed.
func (j *job) op() *operationv1.Operation {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.rec.Op
}

func (j *job) lost() bool { return errors.Is(context.Cause(j.ctx), errLost) }

// Step is what was last recorded of the write.
func (j *job) Step() *operationv1.Step { return proto.CloneOf(j.op().GetStep()) }

// Record makes step durable. On an error nothing may be sent.
func (j *job) Record(ctx context.Context, step *operationv1.Step) error {
	kept := proto.CloneOf(step)
	if len(kept.GetAnswer()) > maxStepAnswer {
		kept.Answer = slim(kept.GetAnswer())
	}
	if err := j.save(ctx, func(op *operationv1.Operation) { op.Step = proto.CloneOf(kept) }); err != nil {
		return err
	}
	return j.advance(ctx, step)
}
