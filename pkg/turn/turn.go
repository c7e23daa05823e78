// Package turn lets the writes of one company happen one after the other, over
// all replicas, since the platform refuses parallel ones. It owns the queue in
// this process and the lease in the "turns" bucket; what is done in a turn is
// the caller's. While NATS is away turns are kept within this process only.
package turn

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

const (
	// defaultLease is how long a replica that died keeps the others waiting. A
	// write takes at most 25 s, but the lease is renewed while it runs. Losing it to
	// a slow store does no harm: two writes then meet at the platform, which refuses one.
	defaultLease = 3 * time.Second
	// batch is how many turns a replica takes with one lease before the others get theirs.
	batch = 4
	// yield is how long a replica that gave its lease back waits before it asks
	// again: others hear of the free lease through NATS, which takes longer than
	// the next in line here.
	yield = 20 * time.Millisecond
)

// Options are the parts of Turns; the zero value of each is usable.
type Options struct {
	Holder string        // this replica, for people who look into the bucket; default random
	Lease  time.Duration // default 3 s
	Log    *slog.Logger
}

// Turns hands out turns. It is safe for concurrent use.
type Turns struct {
	kv     jetstream.KeyValue
	holder string
	lease  time.Duration
	log    *slog.Logger
	lines  lines
}

// New makes turns over the bucket "turns"; nil keeps them within this process.
func New(kv jetstream.KeyValue, o Options) *Turns {
	t := &Turns{kv: kv, holder: o.Holder, lease: o.Lease, log: o.Log, lines: lines{of: map[int64]*line{}}}
	if t.holder == "" {
		t.holder = nuid.Next()
	}
	if t.lease == 0 {
		t.lease = defaultLease
	}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	return t
}

// Take waits for the company's turn: first come, first served within this
// process, in small batches between replicas. Its error is ctx's. The caller
// calls release once, when the write is over; further calls do nothing.
func (t *Turns) Take(ctx context.Context, companyID int64) (release func(), err error) {
	l, err := t.lines.join(ctx, companyID)
	if err != nil {
		return nil, err
	}
	if l.lease == nil && t.kv != nil {
		if l.lease, err = t.acquire(ctx, companyID, l.gaveBack); err != nil {
			t.lines.leave(companyID, l)
			return nil, err
		}
	}
	return sync.OnceFunc(func() { t.pass(companyID, l) }), nil
}

// pass ends a turn: the next in line here goes on with the lease, unless others
// have waited long enough or nobody is in line.
func (t *Turns) pass(companyID int64, l *line) {
	l.served++
	if l.lease != nil && (l.served >= batch || l.lease.lost() || !t.lines.waited(l)) {
		l.lease.giveBack()
		l.lease, l.served, l.gaveBack = nil, 0, true
	}
	t.lines.leave(companyID, l)
}
