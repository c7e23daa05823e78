package link

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/comporta-mcp/comporta/pkg/bus"
)

// MaxLate is how old a replica's knowledge of a link may be: contract §4 gives
// a revocation 1 s to be everywhere.
const MaxLate = time.Second

// readTimeout bounds the reading of one record, and with it the age of what a
// caller gets who joined a reading under way.
const readTimeout = time.Second

// Options are what Links is made of.
type Options struct {
	Conn    *nats.Conn
	JS      jetstream.JetStream
	KV      jetstream.KeyValue // the bucket "links"
	Replica string             // a name that no other running replica has, of letters and digits
	Cached  int                // how many records are held in memory
	Log     *slog.Logger
	Now     func() time.Time
	Metrics prometheus.Registerer
}

// Links gives and changes links. It is safe for use by several goroutines.
// Until Run has its watch, and whenever that is late, records are read anew.
type Links struct {
	store   store
	js      jetstream.JetStream
	cache   *cache
	replica string
	log     *slog.Logger
	now     func() time.Time
	metrics *metrics
	uses    chan use
}

// New makes Links; Run keeps them fresh.
func New(o Options) *Links {
	l := &Links{
		store:   store{conn: o.Conn, kv: o.KV, records: bus.NewRecords(o.Conn, o.JS, o.KV.Bucket())},
		js:      o.JS,
		cache:   newCache(o.Cached, MaxLate, o.Now),
		replica: o.Replica,
		log:     o.Log,
		now:     o.Now,
		uses:    make(chan use, maxUses),
	}
	l.metrics = newMetrics(o.Metrics, l.Late)
	return l
}

// idForm is what the id of a link may look like.
var idForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// ErrNone: there is no such link.
var ErrNone = errors.New("no such link")

// Get gives a link as it is now: changed less than MaxLate ago at most. The
// error is ErrNone, or another one when that cannot be made sure of.
func (l *Links) Get(ctx context.Context, id string) (*Record, error) {
	if !idForm.MatchString(id) {
		return nil, ErrNone // not a key of the bucket, or one that means many
	}
	if v, sure := l.cache.get(id); sure {
		l.metrics.reads.WithLabelValues("memory").Inc()
		return v.record, nil
	}
	l.metrics.reads.WithLabelValues("bucket").Inc()
	v, err := l.read(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case v.record == nil:
		return nil, ErrNone
	}
	return v.record, nil
}

// read reads the record itself, once for all who want it at the same moment.
func (l *Links) read(ctx context.Context, id string) (versioned, error) {
	under, mine := l.cache.join(id)
	if mine {
		go func() { // goes on when this caller leaves, for the others
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
			defer cancel()
			v, err := l.store.read(ctx, id)
			l.cache.finish(id, under, v, err)
		}()
	}
	select {
	case <-under.done:
		return under.result, under.err
	case <-ctx.Done():
		return versioned{}, fmt.Errorf("read link %s: %w", id, context.Cause(ctx))
	}
}

// maxTries bounds the repeats of a write that others come before. Between two
// tries lies a random pause, of which the longest grows up to maxPause.
const (
	maxTries = 12
	maxPause = 64 * time.Millisecond
)

// Ensure gives the link with fresh's id, making it of fresh where there is none.
func (l *Links) Ensure(ctx context.Context, fresh Record) (*Record, error) {
	for range maxTries {
		record, err := l.Get(ctx, fresh.ID)
		if !errors.Is(err, ErrNone) {
			return record, err
		}
		fresh.State, fresh.Version = Active, 1
		fresh.CreatedAt, fresh.LastUseAt = l.now().UTC(), l.now().UTC()
		if err := l.enter(ctx, fresh.PersonID, fresh.ID); err != nil {
			return nil, err
		}
		made, err := l.store.create(ctx, fresh)
		if errors.Is(err, errConflict) {
			continue // another replica made it, or made and removed it
		}
		if err != nil {
			return nil, err
		}
		l.cache.apply(fresh.ID, made)
		return made.record, nil
	}
	return nil, fmt.Errorf("make link %s: %w", fresh.ID, errConflict)
}

// SetState pauses a link, lets it go on, or revokes it. A revoked link stays
// revoked. Every replica knows at most MaxLate after this returns.
func (l *Links) SetState(ctx context.Context, id string, state State) error {
	_, err := l.Change(ctx, id, func(r *Record) error {
		switch r.State {
		case state:
			return ErrUnchanged
		case Revoked:
			return fmt.Errorf("link %s was revoked and stays so", id)
		}
		r.State = state
		return nil
	})
	return err
}

// Late is how long ago the copies in memory were last proven to be complete.
func (l *Links) Late() time.Duration { return l.cache.late() }
