package bus

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// Waits between tries to set JetStream up: quick at first, since a local NATS is
// there in a moment; slow later, since many processes may be asking.
const (
	firstWait = 100 * time.Millisecond
	lastWait  = 5 * time.Second
)

// Ensure makes every bucket and stream that is missing. It tries until it
// succeeds or ctx ends, since NATS may come up after us. Once it was called, the
// same happens in the background after each reconnect.
func (b *Bus) Ensure(ctx context.Context) error {
	b.upkeep.begin()
	wait, told := firstWait, ""
	for {
		err := b.ensure(ctx)
		if err == nil {
			b.upkeep.finish()
			return nil
		}
		if text := err.Error(); text != told && ctx.Err() == nil {
			b.log.Info("waiting for JetStream", "error", err)
			told = text
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("set up JetStream: %w (last: %w)", context.Cause(ctx), err)
		case <-time.After(wait/2 + rand.N(wait/2)):
		}
		wait = min(2*wait, lastWait)
	}
}

func (b *Bus) ensure(ctx context.Context) error {
	replicas := max(b.cfg.Replicas, 1)
	for _, kv := range Buckets() {
		kv.Replicas = replicas
		if _, err := b.JS.CreateOrUpdateKeyValue(ctx, kv); err != nil {
			return fmt.Errorf("bucket %s: %w", kv.Bucket, err)
		}
	}
	for _, store := range ObjectStores() {
		store.Replicas = replicas
		if _, err := b.JS.CreateOrUpdateObjectStore(ctx, store); err != nil {
			return fmt.Errorf("object store %s: %w", store.Bucket, err)
		}
	}
	for _, stream := range Streams(b.cfg.AuditRetention) {
		stream.Replicas = replicas
		if _, err := b.JS.CreateOrUpdateStream(ctx, stream); err != nil {
			return fmt.Errorf("stream %s: %w", stream.Name, err)
		}
	}
	return nil
}

// upkeep runs Ensure again when something may be missing: after a reconnect, or
// when a bucket was not found. One run at a time.
type upkeep struct {
	bus    *Bus
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	wanted  bool // Ensure was called: this process sets JetStream up
	ensured bool
	running bool
}

func newUpkeep(b *Bus) *upkeep {
	ctx, cancel := context.WithCancel(context.Background())
	return &upkeep{bus: b, ctx: ctx, cancel: cancel}
}

func (u *upkeep) begin() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.wanted = true
}

func (u *upkeep) finish() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ensured = true
}

// lost: whatever was there may be gone when NATS comes back.
func (u *upkeep) lost() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ensured = false
}

func (u *upkeep) done() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.ensured || !u.wanted
}

// again begins a run, unless one is under way or nobody wanted one yet.
func (u *upkeep) again() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.wanted || u.running || u.ctx.Err() != nil {
		return
	}
	u.running, u.ensured = true, false
	u.wg.Go(func() {
		// It fails only when the bus is closed.
		_ = u.bus.Ensure(u.ctx)
		u.mu.Lock()
		defer u.mu.Unlock()
		u.running = false
	})
}

func (u *upkeep) stop() {
	u.cancel()
	u.wg.Wait()
}
