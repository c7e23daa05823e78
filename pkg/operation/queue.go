package operation

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// maxCollisions bounds how often Requeue meets an attempt number that was used before.
const maxCollisions = 3

// Requeue publishes the record's message once more. The attempt number is part of
// the message's id, so that the stream's duplicate window never swallows it.
func (s *Store) Requeue(ctx context.Context, rec *Record) error {
	for range maxCollisions {
		if err := s.Save(ctx, rec, func(op *operationv1.Operation) { op.Published++ }); err != nil {
			return err
		}
		duplicate, err := s.publish(ctx, rec.Key, rec.Op.GetPublished())
		if err != nil || !duplicate {
			return err
		}
	}
	return fmt.Errorf("requeue operation %s: the last %d attempt numbers were taken", rec.Key, maxCollisions)
}

// publish puts the message of one attempt into the queue. duplicate: the stream
// had this very attempt already and kept nothing.
func (s *Store) publish(ctx context.Context, key string, attempt uint32) (duplicate bool, err error) {
	id := fmt.Sprintf("%s.%d", key, attempt)
	tries := 0
	err = record.Persist(ctx, func(ctx context.Context) error {
		tries++
		ack, err := s.bus.JS.Publish(ctx, bus.OperationSubject, []byte(key),
			jetstream.WithMsgID(id), jetstream.WithExpectStream(bus.OperationStream))
		if err != nil {
			return err
		}
		duplicate = ack.Duplicate && tries == 1 // later it is our own try whose answer was lost
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("queue operation %s: %w", key, err)
	}
	return duplicate, nil
}

// Queued gives the keys that have a message in the queue, delivered or not. With
// more than limit messages it gives complete false: then nothing can be said about
// the keys that are absent.
func (s *Store) Queued(ctx context.Context, limit int) (keys map[string]bool, complete bool, err error) {
	stream, err := s.bus.JS.Stream(ctx, bus.OperationStream)
	if err != nil {
		return nil, false, fmt.Errorf("look at the queue: %w", err)
	}
	state := stream.CachedInfo().State
	keys = make(map[string]bool, state.Msgs)
	for sequence := state.FirstSeq; sequence <= state.LastSeq && state.Msgs > 0; {
		if len(keys) >= limit {
			return keys, false, nil
		}
		// The next one at or after sequence: acknowledged messages leave wide gaps.
		message, err := stream.GetMsg(ctx, sequence, jetstream.WithGetMsgSubject(bus.OperationSubject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			break
		}
		if err != nil {
			return nil, false, fmt.Errorf("look at the queue: %w", err)
		}
		keys[string(message.Data)] = true
		sequence = message.Sequence + 1
	}
	return keys, true, nil
}

// MessageKey reads a queue message; ok is false for one that stands for no operation.
func MessageKey(data []byte) (key string, ok bool) {
	key = string(data)
	return key, validKey(key)
}
