package quota

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/comporta-mcp/comporta/pkg/bus"
)

var errContention = errors.New("too many hosts change the record at once")

func (l *Limiter) changeStored(ctx context.Context, s *subject, epoch uint64, decide func(window) window) error {
	for try := range maxTries {
		if s.epoch != epoch {
			if err := l.fetch(ctx, s, epoch); err != nil {
				return err
			}
		}
		next := decide(s.known.merged(s.alone))
		if next == nil {
			return nil
		}
		revision, err := l.write(ctx, s, next)
		if err == nil {
			s.alone = nil
			s.learn(next, revision, epoch, l.now())
			return nil
		}
		if !bus.IsConflict(err) {
			return err
		}
		l.metrics.contention.Inc()
		s.epoch = 0
		if try > 0 {
			pause(ctx, rand.N(min(time.Duration(try)*time.Millisecond, 20*time.Millisecond)))
		}
	}
	return errContention
}

func (l *Limiter) fetch(ctx context.Context, s *subject, epoch uint64) error {
	ctx, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	entry, err := l.kv.Get(ctx, s.key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		s.learn(nil, 0, epoch, l.now())
		return nil
	}
	if err != nil {
		return fmt.Errorf("read a limit: %w", err)
	}
	stored, err := decodeWindow(entry.Value())
	if err != nil {
		l.log.WarnContext(ctx, "a limit's record is begun anew", "error", err, "key", s.key)
	}
	s.learn(stored, entry.Revision(), epoch, l.now())
	return nil
}

func (l *Limiter) write(ctx context.Context, s *subject, next window) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	if s.revision == 0 {
		return l.kv.Create(ctx, s.key, next.encode())
	}
	return l.kv.Update(ctx, s.key, next.encode(), s.revision)
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// mode tells whether to count alone now. While the store is away, one call a
// second tries it.
func (l *Limiter) mode() (epoch uint64, alone bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.aloneTil.IsZero() {
		return l.epoch, false
	}
	now := l.now()
	if now.Before(l.aloneTil) {
		return l.epoch, true
	}
	l.aloneTil = now.Add(aloneFor)
	return l.epoch, false
}

func (l *Limiter) storeFailed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.aloneTil.IsZero() {
		l.log.Warn("limits are counted by this process alone until NATS is back", "error", err)
	}
	l.metrics.alone.Set(1)
	l.epoch++
	l.aloneTil = l.now().Add(aloneFor)
}

func (l *Limiter) storeAnswers() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.aloneTil.IsZero() {
		l.log.Info("limits are counted by all replicas together again")
		l.metrics.alone.Set(0)
		l.aloneTil = time.Time{}
	}
}
