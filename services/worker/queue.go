package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/comporta-mcp/comporta/pkg/bus"
)

// queue is the consumer that all workers share, and the care for it: it is made
// when it is missing, and made anew when it is ahead of its stream, which came
// back from an older copy of the store and would deliver nothing for long.
type queue struct {
	js        jetstream.JetStream
	cfg       Work
	log       *slog.Logger
	recreated prometheus.Counter

	mu       sync.Mutex
	consumer jetstream.Consumer // nil until it was reached once
	trouble  error              // why it cannot be used now
	suspects chan struct{}      // somebody met an error
}

// keep looks after the consumer until ctx ends.
func (q *queue) keep(ctx context.Context) {
	wake := q.wake()
	for {
		consumer, err := q.ensure(ctx)
		q.note(ctx, consumer, err)
		pause := q.cfg.Reconcile
		if err != nil {
			pause = min(time.Second, pause)
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
			sleep(ctx, min(200*time.Millisecond, pause))
		case <-time.After(pause):
		}
	}
}

// note remembers how the queue is, and logs it when that has changed.
func (q *queue) note(ctx context.Context, consumer jetstream.Consumer, err error) {
	q.mu.Lock()
	before := q.trouble
	q.trouble = err
	if err == nil {
		q.consumer = consumer
	}
	q.mu.Unlock()
	switch {
	case err != nil && before == nil && ctx.Err() == nil:
		q.log.WarnContext(ctx, "the queue of operations cannot be used", "error", err)
	case err == nil && before != nil:
		q.log.InfoContext(ctx, "the queue of operations can be used again")
	}
}

func (q *queue) wake() chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.suspects == nil {
		q.suspects = make(chan struct{}, 1)
	}
	return q.suspects
}

// suspect asks for a look at the consumer at once.
func (q *queue) suspect(err error) {
	q.log.Debug("no message could be fetched", "error", err)
	select {
	case q.wake() <- struct{}{}:
	default:
	}
}

func (q *queue) healthy() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.consumer == nil && q.trouble == nil {
		return errors.New("the queue was not reached yet")
	}
	return q.trouble
}

// next gives the next message, or an error when there is none for a while.
func (q *queue) next(ctx context.Context) (jetstream.Msg, error) {
	q.mu.Lock()
	consumer := q.consumer
	q.mu.Unlock()
	if consumer == nil {
		return nil, errors.New("the queue was not reached yet")
	}
	ctx, cancel := context.WithTimeout(ctx, fetchWait)
	defer cancel()
	return consumer.Next(jetstream.FetchContext(ctx))
}

// ensure makes the consumer usable.
func (q *queue) ensure(ctx context.Context) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := q.repair(ctx); err != nil {
		return nil, err
	}
	consumer, err := q.js.CreateOrUpdateConsumer(ctx, bus.OperationStream, q.wanted())
	if err != nil {
		return nil, fmt.Errorf("consumer %s: %w", bus.OperationConsumer, err)
	}
	return consumer, nil
}

func (q *queue) wanted() jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:       bus.OperationConsumer,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       q.cfg.AckWait,
		MaxDeliver:    -1, // the record counts the tries: a message is never dropped in silence
		MaxAckPending: q.cfg.MaxAckPending,
		MaxWaiting:    2048, // requests for messages of all workers together
	}
}

// repair removes a consumer that has seen more than its stream holds. Nothing is
// lost by that: what it had delivered and is still there comes again, and the
// records know how far each operation is.
func (q *queue) repair(ctx context.Context) error {
	consumer, err := q.js.Consumer(ctx, bus.OperationStream, bus.OperationConsumer)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at the consumer: %w", err)
	}
	seen := consumer.CachedInfo()
	// Read after the consumer: a stream only grows, so a healthy pair never looks wrong.
	stream, err := q.js.Stream(ctx, bus.OperationStream)
	if err != nil {
		return fmt.Errorf("look at the stream: %w", err)
	}
	last := stream.CachedInfo().State.LastSeq
	if seen.Delivered.Stream <= last && seen.AckFloor.Stream <= last {
		return nil
	}
	q.log.ErrorContext(ctx, "THE QUEUE LOST MESSAGES: its consumer is ahead of the stream, which came back from an older copy of the store. The consumer is made anew and every open operation is looked at.",
		"delivered", seen.Delivered.Stream, "acknowledged", seen.AckFloor.Stream, "stream_last", last)
	q.recreated.Inc()
	err = q.js.DeleteConsumer(ctx, bus.OperationStream, bus.OperationConsumer)
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return fmt.Errorf("remove the consumer: %w", err)
	}
	return nil
}
