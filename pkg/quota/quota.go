// Package quota owns limits of calls in a sliding window, exact over all
// replicas and without any membership: each limited subject has a record in a
// memory bucket with its last call times, changed by compare-and-set. What is
// limited, and how often, is data (limit.go).
//
// A call that is refused spends nothing. A host that knows that a subject is
// spent until some moment refuses by itself until then, so that a flood does
// not reach the store.
//
// # Clocks
//
// Times are those of the hosts' clocks, which something like NTP keeps together,
// and a record's time never goes back. A host whose clock is behind goes on from
// the time that the others wrote, so it neither waits longer nor lets more
// through. What it lets through while none of the others is at work looks older to
// them by the difference of the clocks: when they come back, a window may hold
// calls of both times, twice the limit at the worst.
//
// # Without NATS
//
// When the store is away or slow, each process counts by itself and tries the
// store again each second. What it counted is stored once the store is back.
package quota

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
)

// Options are for New; each may be left out.
type Options struct {
	Now     func() time.Time
	Log     *slog.Logger
	Metrics prometheus.Registerer
	// Subjects bounds how many subjects are remembered; 0 means 10 000, some 5 MB.
	Subjects int
	// Patience is how long the store may take for one step; 0 means 250 ms.
	Patience time.Duration
}

// Limiter counts calls. It is safe for concurrent use.
type Limiter struct {
	kv       jetstream.KeyValue
	now      func() time.Time
	log      *slog.Logger
	metrics  *metrics
	subjects *subjects
	patience time.Duration

	mu       sync.Mutex
	epoch    uint64    // grows whenever the store was lost, and with it all revisions
	aloneTil time.Time // zero: the store answers
}

const (
	defaultSubjects = 10_000
	defaultPatience = 250 * time.Millisecond
	// maxTries bounds compare-and-sets of one call. Within a process calls of one
	// subject queue up, so only other processes contend; one of them wins each round.
	maxTries = 64
	// aloneFor is how long the store is left alone after it failed.
	aloneFor = time.Second
)

// New makes a limiter on the bucket bus.Quota.
func New(kv jetstream.KeyValue, o Options) *Limiter {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Subjects == 0 {
		o.Subjects = defaultSubjects
	}
	if o.Patience == 0 {
		o.Patience = defaultPatience
	}
	return &Limiter{
		kv: kv, now: o.Now, log: o.Log, metrics: newMetrics(o.Metrics),
		subjects: newSubjects(o.Subjects), patience: o.Patience, epoch: 1,
	}
}

// Take counts one call of subject. wait 0 means that it may go ahead; otherwise
// nothing was spent, and after wait a call may fit. The error is only that of ctx.
func (l *Limiter) Take(ctx context.Context, subject string, lim Limit) (wait time.Duration, err error) {
	_, wait, err = l.take(ctx, subject, lim)
	return wait, err
}

// taken is a call that was counted, so that it can be given back.
type taken struct {
	subject *subject
	at      int64
}

func (l *Limiter) take(ctx context.Context, name string, lim Limit) (taken, time.Duration, error) {
	s := l.subjects.get(storeKey(lim.Name, name))
	if err := s.lock(ctx); err != nil {
		return taken{}, 0, err
	}
	defer s.unlock()
	if wait := s.spent.Sub(l.now()); wait > 0 {
		l.metrics.refused.WithLabelValues(lim.Name).Inc()
		return taken{}, wait, nil
	}
	var at int64
	var wait time.Duration
	err := l.change(ctx, s, func(w window) window {
		at = s.clock(l.now())
		var next window
		next, wait = w.add(at, lim)
		return next
	})
	if errors.Is(err, errContention) {
		// Not counted, so refused; so many hosts at once are over the limit anyway.
		l.metrics.refused.WithLabelValues(lim.Name).Inc()
		return taken{}, lim.Window, nil
	}
	if err != nil {
		return taken{}, 0, err
	}
	if wait > 0 {
		s.spent = l.now().Add(wait)
		l.metrics.refused.WithLabelValues(lim.Name).Inc()
		return taken{}, wait, nil
	}
	l.metrics.taken.WithLabelValues(lim.Name).Inc()
	return taken{s, at}, 0, nil
}

// giveBack undoes a take of a call that was not carried out after all.
func (l *Limiter) giveBack(ctx context.Context, t taken) {
	if t.subject.lock(ctx) != nil {
		return // it only stays counted
	}
	defer t.subject.unlock()
	if l.change(ctx, t.subject, func(w window) window { return w.without(t.at) }) == nil {
		t.subject.spent = time.Time{}
	}
}

// change replaces the stored window by what decide makes of it; nil leaves it as
// it is. decide may run several times. The error is that of ctx, or errContention.
func (l *Limiter) change(ctx context.Context, s *subject, decide func(window) window) error {
	epoch, alone := l.mode()
	if !alone {
		err := l.changeStored(ctx, s, epoch, decide)
		if err == nil {
			l.storeAnswers()
			return nil
		}
		if ctx.Err() != nil || errors.Is(err, errContention) {
			return cmp.Or(ctx.Err(), err)
		}
		l.storeFailed(err)
	}
	if next := decide(s.known.merged(s.alone)); next != nil {
		// What is stored cannot be changed now, so the difference is kept beside it.
		s.alone, s.known, s.seen = next, nil, l.now()
	}
	return nil
}
