package worker

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/comporta-mcp/comporta/pkg/operation"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// live is what this worker knows of the operations that have not ended, from
// following the bucket: enough to count them and to see which need a look.
type live struct {
	mu   sync.Mutex
	all  map[string]glance
	seen bool // the bucket was read to its end since the last interruption
}

// glance is what is remembered of one record.
type glance struct {
	phase    operationv1.Phase
	created  time.Time
	updated  time.Time
	leasedTo time.Time
}

func newLive() *live { return &live{all: map[string]glance{}} }

func (l *live) restart() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all, l.seen = map[string]glance{}, false
}

func (l *live) ready() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = true
}

func (l *live) complete() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen
}

func (l *live) see(c operation.Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.Op == nil || operation.Ended(c.Op) {
		delete(l.all, c.Key)
		return
	}
	g := glance{
		phase:   c.Op.GetPhase(),
		created: c.Op.GetCreatedAt().AsTime(),
		updated: c.Op.GetUpdatedAt().AsTime(),
	}
	if c.Op.GetLease() != nil {
		g.leasedTo = c.Op.GetLease().GetUntil().AsTime()
	}
	l.all[c.Key] = g
}

// snapshot is a copy of all; ok is false while the view is not complete.
func (l *live) snapshot() (all map[string]glance, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.all), l.seen
}

// follow keeps the view until ctx ends, and begins it afresh after each interruption.
func (w *Worker) follow(ctx context.Context) {
	interrupted := false
	see := func(c operation.Change) {
		if c.Err != nil {
			w.log.ErrorContext(ctx, "a record cannot be read", "operation", c.Key, "error", c.Err)
		}
		w.live.see(c)
	}
	ready := func() {
		w.live.ready()
		if interrupted {
			w.log.InfoContext(ctx, "the view of the operations is complete again")
		}
		interrupted = false
	}
	for ctx.Err() == nil {
		w.live.restart()
		err := w.parts.Store.Follow(ctx, see, ready)
		if ctx.Err() == nil && !interrupted {
			w.log.WarnContext(ctx, "the view of the operations was interrupted", "error", err)
			interrupted = true
		}
		sleep(ctx, min(500*time.Millisecond, w.cfg.Reconcile))
	}
}
