package turn

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/comporta-mcp/comporta/pkg/bus"
)

// lease is this process's right to write for one company. It is renewed until it
// is given back.
type lease struct {
	kv    jetstream.KeyValue
	key   string
	token string // unlike any other lease's
	life  time.Duration
	log   *slog.Logger

	revision uint64 // of the record; the renewing goroutine's while it runs
	gone     atomic.Bool
	stop     chan struct{}
	renewing sync.WaitGroup
}

// keep renews the lease in the background until giveBack.
func (l *lease) keep() {
	l.stop = make(chan struct{})
	l.renewing.Go(func() {
		every := time.NewTicker(l.life / 3)
		defer every.Stop()
		for {
			select {
			case <-l.stop:
				return
			case <-every.C:
				if !l.renew() {
					return
				}
			}
		}
	})
}

// renew reports whether the lease is still ours. An unanswered question leaves
// it open: the next one tells.
func (l *lease) renew() bool {
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	revision, err := l.kv.Update(ctx, l.key, []byte(l.token), l.revision)
	switch {
	case err == nil:
		l.revision = revision
	case bus.IsConflict(err) && !l.ours(ctx):
		l.gone.Store(true)
		l.log.WarnContext(ctx, "a turn was taken over while it was used", "key", l.key)
		return false
	case !bus.IsConflict(err):
		l.log.WarnContext(ctx, "a turn could not be renewed", "key", l.key, "error", err)
	}
	return true
}

// ours looks whose the record is, after a conflict: a renewal whose answer was
// lost leaves a revision that we do not know.
func (l *lease) ours(ctx context.Context) bool {
	entry, err := l.kv.Get(ctx, l.key)
	if err != nil || string(entry.Value()) != l.token {
		return false
	}
	l.revision = entry.Revision()
	return true
}

// lost reports whether another replica took the lease over.
func (l *lease) lost() bool { return l.gone.Load() }

// giveBack frees the lease for others. Where NATS does not hear it, the lease
// ends by itself after its life.
func (l *lease) giveBack() {
	close(l.stop)
	l.renewing.Wait()
	if l.lost() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	err := l.kv.Delete(ctx, l.key, jetstream.LastRevision(l.revision))
	if bus.IsConflict(err) && l.ours(ctx) {
		err = l.kv.Delete(ctx, l.key, jetstream.LastRevision(l.revision))
	}
	if err != nil && !bus.IsConflict(err) {
		l.log.WarnContext(ctx, "a turn could not be given back", "key", l.key, "error", err)
	}
}
