package turn

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/comporta-mcp/comporta/pkg/bus"
)

// askTimeout bounds one question to NATS.
const askTimeout = 2 * time.Second

// errTaken: another replica has the lease.
var errTaken = errors.New("the lease is taken")

func keyOf(companyID int64) string { return "company." + strconv.FormatInt(companyID, 10) }

// acquire waits for the company's lease over all replicas. While NATS is away it
// gives none, and this process goes on alone. Its error is ctx's.
func (t *Turns) acquire(ctx context.Context, companyID int64, gaveBack bool) (*lease, error) {
	l := &lease{kv: t.kv, key: keyOf(companyID), token: t.holder + " " + nuid.Next(), life: t.lease, log: t.log}
	if gaveBack {
		if err := pause(ctx, yield); err != nil {
			return nil, err
		}
	}
	err := l.create(ctx)
	for errors.Is(err, errTaken) {
		var stale uint64
		if stale, err = l.awaitFree(ctx); err != nil {
			break
		}
		if stale != 0 {
			err = l.steal(ctx, stale)
		} else {
			err = l.create(ctx)
		}
	}
	switch {
	case err == nil:
		l.keep()
		return l, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	t.log.WarnContext(ctx, "turns are kept within this process only", "error", err)
	return nil, nil
}

// create takes a free lease, or says errTaken. A deletion by somebody else in
// the middle makes the server refuse a key that is free, so it asks again.
func (l *lease) create(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	for {
		revision, err := l.kv.Create(ctx, l.key, []byte(l.token))
		if err == nil {
			l.revision = revision
			return nil
		}
		if !bus.IsConflict(err) {
			return fmt.Errorf("create %s: %w", l.key, err)
		}
		if _, err = l.kv.Get(ctx, l.key); err == nil {
			return errTaken
		}
		if !errors.Is(err, jetstream.ErrKeyNotFound) {
			return fmt.Errorf("look at %s: %w", l.key, err)
		}
	}
}

// steal takes the lease over from a replica that stopped renewing it.
func (l *lease) steal(ctx context.Context, stale uint64) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	revision, err := l.kv.Update(ctx, l.key, []byte(l.token), stale)
	if bus.IsConflict(err) {
		return errTaken // it was renewed, given back or stolen after all: look again
	}
	if err != nil {
		return fmt.Errorf("take over %s: %w", l.key, err)
	}
	l.log.WarnContext(ctx, "took over a turn that was not given back", "key", l.key)
	l.revision = revision
	return nil
}

// awaitFree waits until the lease is free (0), or was not renewed for a whole
// life (its revision). What counts is how long this process saw the same
// revision: no two clocks are compared. A watch tells at once; asking now and
// then notices expiry, and what a broken watch would miss.
func (l *lease) awaitFree(ctx context.Context) (stale uint64, err error) {
	var updates <-chan jetstream.KeyValueEntry
	if watcher, err := l.kv.Watch(ctx, l.key); err == nil {
		defer func() { _ = watcher.Stop() }()
		updates = watcher.Updates()
	}
	ask := time.NewTicker(l.life / 4)
	defer ask.Stop()
	var seen sighting
	for {
		select {
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		case entry, open := <-updates:
			switch {
			case !open:
				updates = nil
			case entry == nil: // all that was there has been told
				if seen.revision == 0 {
					return 0, nil
				}
			case entry.Operation() != jetstream.KeyValuePut:
				return 0, nil
			default:
				seen.note(entry.Revision())
			}
		case <-ask.C:
			revision, err := l.look(ctx)
			if err != nil || revision == 0 {
				return 0, err
			}
			if seen.note(revision) >= l.life {
				return revision, nil
			}
		}
	}
}

// look gives the lease's revision, 0 where it is free.
func (l *lease) look(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	entry, err := l.kv.Get(ctx, l.key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look at %s: %w", l.key, err)
	}
	return entry.Revision(), nil
}

// sighting is the revision that was seen last, and since when.
type sighting struct {
	revision uint64
	since    time.Time
}

// note takes a sighting down and says for how long the revision is the same.
func (s *sighting) note(revision uint64) time.Duration {
	if revision != s.revision {
		s.revision, s.since = revision, time.Now()
	}
	return time.Since(s.since)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
