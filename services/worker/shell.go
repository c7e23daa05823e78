package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/comporta-mcp/comporta/pkg/fault"
	"github.com/comporta-mcp/comporta/pkg/operation"
)

// fetchWait is how long one request for a message waits at the server.
const fetchWait = 5 * time.Second

// consume takes messages until ctx ends, each worker goroutine one at a time, so
// that no message grows old in a buffer of ours.
func (w *Worker) consume(ctx context.Context) {
	working, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	var wg sync.WaitGroup
	for range w.cfg.Parallel {
		wg.Go(func() { w.takeMessages(ctx, working) })
	}
	<-ctx.Done()
	patience := time.AfterFunc(w.cfg.DrainFor, abandon)
	defer patience.Stop()
	wg.Wait()
}

// takeMessages works on one message after the other.
func (w *Worker) takeMessages(ctx, working context.Context) {
	for ctx.Err() == nil {
		message, err := w.queue.next(ctx)
		switch {
		case err == nil:
			w.attend(working, message)
		case errors.Is(err, nats.ErrTimeout), errors.Is(err, jetstream.ErrNoMessages), ctx.Err() != nil:
		default:
			w.queue.suspect(err)
			sleep(ctx, w.cfg.RetryMin)
		}
	}
}

// attend handles one message and answers it.
func (w *Worker) attend(ctx context.Context, message jetstream.Msg) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, w.cfg.HandleFor)
	defer cancel()
	var err error
	key, ok := operation.MessageKey(message.Data())
	if ok {
		err = w.alive(ctx, message, func() error {
			return w.safely(ctx, key, func() error { return w.Handle(ctx, key) })
		})
	} else {
		w.log.ErrorContext(ctx, "a queue message names no operation; it is dropped", "bytes", len(message.Data()))
		err = ErrRetired
	}
	w.metrics.handled.WithLabelValues(outcomeOf(err)).Observe(time.Since(began).Seconds())
	fault.Point(fault.BeforeAck)
	if answered := w.reply(message, err); answered != nil {
		// The message comes again; its record says how far the operation is.
		w.log.WarnContext(ctx, "a queue message could not be answered", "operation", key, "error", answered)
	}
}

// alive runs work and tells the queue meanwhile that it goes on.
func (w *Worker) alive(ctx context.Context, message jetstream.Msg, work func() error) error {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(w.cfg.AckWait / 3)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = message.InProgress() // while NATS is away nobody else gets it either
			}
		}
	})
	defer wg.Wait()
	defer close(done)
	return work()
}

// reply is the one table from what became of an operation to what becomes of its message.
func (w *Worker) reply(message jetstream.Msg, err error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	later, waits := errors.AsType[*Later](err)
	switch {
	case err == nil:
		return message.DoubleAck(ctx)
	case errors.Is(err, ErrRetired):
		return message.TermWithReason("retired")
	case waits:
		return message.NakWithDelay(later.After)
	default: // the store is away; the message comes again at the latest after AckWait
		return message.NakWithDelay(w.cfg.RetryMin)
	}
}

// outcomeOf names what became of a try, for metrics and traces.
func outcomeOf(err error) string {
	later, waits := errors.AsType[*Later](err)
	switch {
	case err == nil:
		return "ended"
	case errors.Is(err, ErrRetired):
		return "retired"
	case waits && later.Cause == nil:
		return "later"
	default:
		return "failed"
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
