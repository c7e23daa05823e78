package link

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// beatEvery leaves room for two lost beats within MaxLate.
	beatEvery = 250 * time.Millisecond
	// beatTimeout is when a beat that was not acknowledged is given up.
	beatTimeout = time.Second
	// giveUp is when a watch that brings nothing is replaced. NATS heals its
	// consumers by itself too, but takes longer.
	giveUp = 4 * time.Second
	// pause is between two tries to open a watch.
	pause = 250 * time.Millisecond
)

// beatPrefix begins the keys of heartbeats; no link's id holds a dot.
const beatPrefix = "beat."

// Run keeps the copies fresh and writes last uses until ctx ends. Call it once.
func (l *Links) Run(ctx context.Context) {
	var work sync.WaitGroup
	work.Go(func() { l.writeUses(ctx) })
	work.Go(func() { l.sweep(ctx) })
	var began time.Time
	for ctx.Err() == nil {
		level := slog.LevelWarn
		if l.now().Sub(began) < giveUp {
			level = slog.LevelDebug // one of many tries while NATS is away: said once
		}
		began = l.now()
		if err := l.session(ctx); err != nil && ctx.Err() == nil {
			l.log.Log(ctx, level, "the watch on links must be renewed", "error", err)
		}
		wait(ctx, pause)
	}
	work.Wait()
	l.removeBeat(context.WithoutCancel(ctx), l.beatKey())
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// session watches the bucket until ctx ends or the watch is of no use any more.
func (l *Links) session(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watcher, err := l.store.kv.WatchAll(ctx, jetstream.UpdatesOnly())
	if err != nil {
		return fmt.Errorf("watch links: %w", err)
	}
	defer drain(watcher)
	l.cache.begin()

	beats := &beats{sent: map[string]time.Time{}}
	var work sync.WaitGroup
	defer work.Wait()
	work.Go(func() { l.beat(ctx, beats) })
	defer cancel() // before work.Wait
	return l.follow(ctx, watcher, beats)
}

// follow takes what the watch brings.
func (l *Links) follow(ctx context.Context, watcher jetstream.KeyWatcher, beats *beats) error {
	heard := l.now()
	check := time.NewTicker(beatEvery)
	defer check.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-check.C:
			if l.now().Sub(heard) > giveUp && l.store.conn.IsConnected() {
				return errors.New("it brings nothing")
			}
		case entry, open := <-watcher.Updates():
			if !open {
				return errors.New("it was closed")
			}
			if entry == nil {
				continue
			}
			heard = l.now()
			if entry.Key() == l.beatKey() {
				if at, ours := beats.take(string(entry.Value())); ours {
					l.cache.proof(at)
				}
				continue
			}
			l.take(entry)
		}
	}
}

// take applies one change of a record.
func (l *Links) take(entry jetstream.KeyValueEntry) {
	if !isLink(entry.Key()) {
		return // such as another replica's heartbeat
	}
	v := versioned{revision: entry.Revision()}
	if entry.Operation() == jetstream.KeyValuePut {
		record, err := decode(entry.Key(), entry.Value())
		if err != nil {
			l.log.Error("a link's record cannot be read; calls of it are refused as unavailable", "error", err)
		}
		v.record = record // nil drops the copy, and the next Get meets the error itself
	}
	l.cache.apply(entry.Key(), v)
}

// drain stops a watch. Its sender may be waiting for room, which it must get.
func drain(watcher jetstream.KeyWatcher) {
	_ = watcher.Stop()
	deadline := time.After(beatTimeout)
	for {
		select {
		case _, open := <-watcher.Updates():
			if !open {
				return
			}
		case <-deadline:
			return
		}
	}
}

func (l *Links) beatKey() string { return beatPrefix + l.replica }

// beat writes a heartbeat every beatEvery. When the watch brings it back,
// everything that was written before it has come too: they are one stream.
// Only this replica's own clock is asked.
func (l *Links) beat(ctx context.Context, beats *beats) {
	every := time.NewTicker(beatEvery)
	defer every.Stop()
	for n := 0; ; n++ {
		name := l.replica + "-" + strconv.Itoa(n) + "-" + strconv.FormatInt(l.now().UnixNano(), 36)
		beats.put(name, l.now())
		put, cancel := context.WithTimeout(ctx, beatTimeout)
		if _, err := l.store.kv.Put(put, l.beatKey(), []byte(name)); err != nil && ctx.Err() == nil {
			l.log.Debug("heartbeat not written", "error", err)
		}
		cancel()
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// beats remembers when each heartbeat was sent.
type beats struct {
	mu   sync.Mutex
	sent map[string]time.Time
}

func (b *beats) put(name string, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent[name] = at
}

// take gives when the heartbeat was sent and forgets it and all before it.
func (b *beats) take(name string) (time.Time, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at, ours := b.sent[name]
	for other, sent := range b.sent {
		if ours && !sent.After(at) {
			delete(b.sent, other)
		}
	}
	return at, ours
}
