package link

import (
	"context"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// deadBeat is the age of a heartbeat whose replica is gone. Clocks of machines
// may differ by less.
const deadBeat = time.Hour

// sweep removes the heartbeats of replicas that were killed before they could.
func (l *Links) sweep(ctx context.Context) {
	every := time.NewTicker(deadBeat)
	defer every.Stop()
	for {
		if err := l.sweepOnce(ctx); err != nil && ctx.Err() == nil {
			l.log.Debug("old heartbeats were not removed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

func (l *Links) sweepOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	keys, err := l.store.kv.ListKeysFiltered(ctx, beatPrefix+">")
	if err != nil {
		return err
	}
	defer keys.Stop()
	for key := range keys.Keys() {
		entry, err := l.store.kv.Get(ctx, key)
		if err == nil && strings.HasPrefix(key, beatPrefix) && l.now().Sub(entry.Created()) > deadBeat {
			l.removeBeat(ctx, key)
		}
	}
	return nil
}

// removeBeat removes a heartbeat without leaving a mark behind, as a bucket's
// own Delete would, for ever.
func (l *Links) removeBeat(ctx context.Context, key string) {
	ctx, cancel := context.WithTimeout(ctx, beatTimeout)
	defer cancel()
	stream, err := l.js.Stream(ctx, l.store.stream())
	if err == nil {
		err = stream.Purge(ctx, jetstream.WithPurgeSubject(l.store.subject(key)))
	}
	if err != nil {
		l.log.Debug("a heartbeat was not removed", "error", err)
	}
}
