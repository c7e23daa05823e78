package idempotency

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// held is a record that this call owns while its lease lives. It is the call's
// Journal: every change goes through compare-and-set, so once another repeat has
// taken over nothing more can be recorded, hence nothing sent.
type held struct {
	stage  *stage
	holder string
	cancel context.CancelCauseFunc // ends the call when the record is lost

	mu    sync.Mutex
	entry entry
}

// reserve makes the record of a first call (mine), or finds the one there is (first).
func (s *stage) reserve(ctx context.Context, c *call.Call, sum []byte) (mine *held, first *entry, err error) {
	key := bucketKey(c.Principal.Link.ID, c.Tool.Name, c.IdempotencyKey)
	now := s.Now()
	h := s.hold(c)
	repeat := &operationv1.Repeat{
		Version:     1,
		Digest:      sum,
		OperationId: operation.NewID(now),
		Lease:       h.lease(),
		CreatedAt:   timestamppb.New(now),
	}
	for range 3 { // a record may vanish between "taken" and the look at it
		revision, err := s.Store.records.Create(ctx, key, repeat)
		if err == nil {
			h.entry = entry{key: key, repeat: repeat, revision: revision}
			return h, nil, nil
		}
		if !errors.Is(err, record.ErrTaken) {
			return nil, nil, err
		}
		first, err = s.Store.load(ctx, key)
		if !errors.Is(err, record.ErrAbsent) {
			return nil, first, err
		}
	}
	return nil, nil, fmt.Errorf("the key %w each time it was looked at", record.ErrTaken)
}

// takeOver makes the record this call's own; afresh forgets the operation that came
// to nothing. record.ErrConflict says that another repeat was faster.
func (s *stage) takeOver(ctx context.Context, c *call.Call, first *entry, afresh bool) (*held, error) {
	h := s.hold(c)
	h.entry = *first
	err := h.save(ctx, func(r *operationv1.Repeat) {
		if afresh {
			r.OperationId, r.Step = operation.NewID(s.Now()), nil
		}
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// leaseLeft is how long a repeat must leave the record alone; 0 or less: it is free.
func (s *stage) leaseLeft(e *entry) time.Duration {
	if e.repeat.GetLease() == nil {
		return 0
	}
	return e.repeat.GetLease().GetUntil().AsTime().Sub(s.Now())
}

func (s *stage) hold(c *call.Call) *held {
	return &held{stage: s, holder: s.Holder + "/" + c.ID}
}

func (h *held) lease() *operationv1.Lease {
	return &operationv1.Lease{Holder: h.holder, Until: timestamppb.New(h.stage.Now().Add(h.stage.Lease))}
}

// Step is what was last recorded of the call's write.
func (h *held) Step() *operationv1.Step {
	h.mu.Lock()
	defer h.mu.Unlock()
	return proto.CloneOf(h.entry.repeat.GetStep())
}

// Record makes step durable. On an error nothing may be sent.
func (h *held) Record(ctx context.Context, step *operationv1.Step) error {
	err := h.save(ctx, func(r *operationv1.Repeat) { r.Step = proto.CloneOf(step) })
	if err != nil && step.GetState() == operationv1.Step_STATE_SENT {
		return away(err)
	}
	return err
}

// save stores what change makes of the record and renews the lease.
func (h *held) save(ctx context.Context, change func(*operationv1.Repeat)) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	next := proto.CloneOf(h.entry.repeat)
	next.Lease = h.lease()
	change(next)
	revision, err := h.stage.Store.records.Update(ctx, h.entry.key, next, h.entry.revision)
	if err != nil {
		if errors.Is(err, record.ErrConflict) && h.cancel != nil {
			h.cancel(errLost)
		}
		return err
	}
	h.entry.repeat, h.entry.revision = next, revision
	return nil
}

func (h *held) remove(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stage.Store.records.Delete(ctx, h.entry.key, h.entry.revision)
}

// renew keeps the lease alive while a long call runs, and ends the call when it
// could not: from then on a repeat may take over.
func (h *held) renew(ctx context.Context) {
	lease := h.stage.Lease
	over := time.AfterFunc(lease, func() { h.cancel(errLost) })
	defer over.Stop()
	tick := time.NewTicker(lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			began := time.Now()
			if err := h.save(ctx, func(*operationv1.Repeat) {}); err == nil {
				over.Reset(lease - time.Since(began))
			}
		}
	}
}
