package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// part is one service of the process: run works until its context ends and
// calls up once, when it can be used.
type part struct {
	name string
	run  func(ctx context.Context, up func()) error
}

// running is a part that was started.
type running struct {
	name string
	stop context.CancelFunc
	done chan struct{}
	err  error // set before done is closed
}

// parts runs parts in order, each after the one before it is up, and stops them
// in the opposite order, so that nobody loses what it leans on while it drains.
type parts struct {
	log     *slog.Logger
	started []*running
	failed  chan *running // the first part that ended without being asked
}

func newParts(log *slog.Logger) *parts {
	return &parts{log: log, failed: make(chan *running, 1)}
}

// start starts p and waits until it is up, it fails or ctx ends.
func (ps *parts) start(ctx context.Context, p part) error {
	own, stop := context.WithCancel(context.WithoutCancel(ctx))
	r := &running{name: p.name, stop: stop, done: make(chan struct{})}
	up := make(chan struct{})
	go func() {
		defer close(r.done)
		r.err = p.run(own, func() { close(up) })
		if own.Err() == nil {
			select {
			case ps.failed <- r:
			default:
			}
		}
	}()
	ps.started = append(ps.started, r)
	select {
	case <-up:
		return nil
	case <-r.done:
		return fmt.Errorf("%s: %w", r.name, orEnded(r.err))
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// wait blocks until ctx ends (nil) or a part ends by itself (its error).
func (ps *parts) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case r := <-ps.failed:
		return fmt.Errorf("%s: %w", r.name, orEnded(r.err))
	}
}

// stop ends every part, the last one first, and gives their errors.
func (ps *parts) stop() error {
	var errs []error
	for i := len(ps.started) - 1; i >= 0; i-- {
		r := ps.started[i]
		r.stop()
		<-r.done
		if r.err != nil && !errors.Is(r.err, context.Canceled) {
			errs = append(errs, fmt.Errorf("stop %s: %w", r.name, r.err))
		}
		ps.log.Debug("stopped", "part", r.name)
	}
	return errors.Join(errs...)
}

func orEnded(err error) error {
	if err == nil {
		return errors.New("ended by itself")
	}
	return err
}
