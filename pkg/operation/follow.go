package operation

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// ErrInterrupted: the connection broke, so what Follow told may be outdated.
var ErrInterrupted = errors.New("the view of the operations was interrupted")

// Change is one record as it is now.
type Change struct {
	Key string
	// Op is nil where the record was removed or cannot be read.
	Op *operationv1.Operation
	// Err says why a record cannot be read.
	Err error
}

// Follow tells see each record there is, then calls ready, then tells each change,
// until ctx ends or the connection breaks (ErrInterrupted): a store that comes
// back may be older than the view, so the caller begins afresh. see and ready run
// one at a time.
func (s *Store) Follow(ctx context.Context, see func(Change), ready func()) error {
	broken := s.bus.Conn.StatusChanged(nats.DISCONNECTED, nats.RECONNECTING, nats.CLOSED)
	defer s.bus.Conn.RemoveStatusListener(broken)
	watch, err := s.records.Watch(ctx, ">")
	if err != nil {
		return err
	}
	defer func() { _ = watch.Stop() }()
	for {
		select {
		case entry, open := <-watch.Updates():
			switch {
			case !open:
				return ErrInterrupted
			case entry == nil:
				ready()
			default:
				see(s.change(entry))
			}
		case <-broken:
			return ErrInterrupted
		case <-ctx.Done():
			return fmt.Errorf("follow the operations: %w", context.Cause(ctx))
		}
	}
}

func (s *Store) change(entry jetstream.KeyValueEntry) Change {
	if entry.Operation() != jetstream.KeyValuePut {
		return Change{Key: entry.Key()}
	}
	op, err := s.records.Decode(entry.Value())
	if err != nil {
		return Change{Key: entry.Key(), Err: err}
	}
	return Change{Key: entry.Key(), Op: op}
}
