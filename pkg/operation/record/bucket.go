// Package record keeps protobuf messages in a NATS bucket and changes them by
// compare-and-set. It owns what every user of a bucket needs to be truthful:
// bounded tries while NATS elects a leader or restarts, recognising one's own
// write whose acknowledgement was lost, and the difference between "not stored"
// and "perhaps stored". What a message means belongs to its owner.
package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/bus"
)

// MaxSize is the largest message that is kept, in bytes. NATS refuses payloads
// above 1 MiB by default, headers and subject included.
const MaxSize = 900 << 10

// What can happen to a record. Any other error is a fault of the program or of
// the bucket's set-up.
var (
	ErrAbsent   = errors.New("no such record")
	ErrTaken    = errors.New("the key is taken")
	ErrConflict = errors.New("somebody else changed the record")
	ErrTooBig   = errors.New("the record is too big")
	// ErrAway: NATS could not be asked. Nothing was stored.
	ErrAway = errors.New("the store cannot be reached")
	// ErrUnsure: NATS did not answer in time. The write may be stored, or be stored later.
	ErrUnsure = errors.New("the store did not answer")
)

// Bucket is one bucket of messages of one type. It is safe for concurrent use.
type Bucket[M proto.Message] struct {
	bus  *bus.Bus
	name string

	mu sync.Mutex
	kv jetstream.KeyValue // nil until NATS was reached once
}

// Open gives the bucket called name. It asks NATS nothing, so that it works
// before NATS is there.
func Open[M proto.Message](b *bus.Bus, name string) *Bucket[M] {
	return &Bucket[M]{bus: b, name: name}
}

// Create stores a new record and gives its revision. ErrTaken when the key holds
// another record: a deleted key is free, however its deletion and this call race.
func (b *Bucket[M]) Create(ctx context.Context, key string, m M) (uint64, error) {
	data, err := encode(m)
	if err != nil {
		return 0, err
	}
	var revision uint64
	err = Persist(ctx, func(ctx context.Context) error {
		kv, err := b.open(ctx)
		if err != nil {
			return err
		}
		revision, err = kv.Create(ctx, key, data)
		if !bus.IsConflict(err) {
			return err
		}
		revision, err = b.own(ctx, kv, key, data)
		if errors.Is(err, ErrAbsent) {
			return errAgain // deleted in between: the key is free after all
		}
		if errors.Is(err, ErrConflict) {
			return ErrTaken
		}
		return err
	})
	if errors.Is(err, errAgain) {
		return 0, ErrTaken // it was taken each time we looked
	}
	return revision, err
}

// Get gives a record and its revision; ErrAbsent where there is none.
func (b *Bucket[M]) Get(ctx context.Context, key string) (M, uint64, error) {
	var none M
	var entry jetstream.KeyValueEntry
	err := Persist(ctx, func(ctx context.Context) error {
		kv, err := b.open(ctx)
		if err != nil {
			return err
		}
		entry, err = kv.Get(ctx, key)
		return err
	})
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return none, 0, ErrAbsent
	case err != nil:
		return none, 0, err
	}
	m, err := b.Decode(entry.Value())
	if err != nil {
		return none, 0, fmt.Errorf("record %s of bucket %s: %w", key, b.name, err)
	}
	return m, entry.Revision(), nil
}

// Update replaces the record of this revision and gives the new revision;
// ErrConflict when the record is not of that revision any more.
func (b *Bucket[M]) Update(ctx context.Context, key string, m M, revision uint64) (uint64, error) {
	data, err := encode(m)
	if err != nil {
		return 0, err
	}
	var next uint64
	err = Persist(ctx, func(ctx context.Context) error {
		kv, err := b.open(ctx)
		if err != nil {
			return err
		}
		next, err = kv.Update(ctx, key, data, revision)
		if !bus.IsConflict(err) {
			return err
		}
		next, err = b.own(ctx, kv, key, data)
		if errors.Is(err, ErrAbsent) {
			return ErrConflict
		}
		return err
	})
	return next, err
}

// Delete removes the record of this revision; ErrConflict when it is not of that
// revision any more.
func (b *Bucket[M]) Delete(ctx context.Context, key string, revision uint64) error {
	return Persist(ctx, func(ctx context.Context) error {
		kv, err := b.open(ctx)
		if err != nil {
			return err
		}
		err = kv.Purge(ctx, key, jetstream.LastRevision(revision))
		if !bus.IsConflict(err) {
			return err
		}
		// Our own deletion, whose acknowledgement was lost, looks like this too.
		if _, err := kv.Get(ctx, key); errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil
		}
		return ErrConflict
	})
}

// Watch follows the keys that match pattern: first what is there, then a nil
// entry, then each change. The caller stops it.
func (b *Bucket[M]) Watch(ctx context.Context, pattern string, o ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	kv, err := b.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAway, err)
	}
	w, err := kv.Watch(ctx, pattern, o...)
	if err != nil {
		return nil, fmt.Errorf("%w: watch %s: %w", ErrAway, b.name, err)
	}
	return w, nil
}

// Decode reads a stored value.
func (b *Bucket[M]) Decode(value []byte) (M, error) {
	var none M
	m := none.ProtoReflect().New().Interface().(M)
	if err := proto.Unmarshal(value, m); err != nil {
		return none, fmt.Errorf("decode: %w", err)
	}
	return m, nil
}

// own tells a lost acknowledgement of our own write from somebody else's write:
// the revision of the record if it is ours, else ErrConflict or ErrAbsent.
func (b *Bucket[M]) own(ctx context.Context, kv jetstream.KeyValue, key string, data []byte) (uint64, error) {
	entry, err := kv.Get(ctx, key)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return 0, ErrAbsent
	case err != nil:
		return 0, err
	case !bytes.Equal(entry.Value(), data):
		return 0, ErrConflict
	}
	return entry.Revision(), nil
}

func (b *Bucket[M]) open(ctx context.Context) (jetstream.KeyValue, error) {
	b.mu.Lock()
	kv := b.kv
	b.mu.Unlock()
	if kv != nil {
		return kv, nil
	}
	kv, err := b.bus.KV(ctx, b.name)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	b.kv = kv
	b.mu.Unlock()
	return kv, nil
}

func encode(m proto.Message) ([]byte, error) {
	data, err := proto.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	if len(data) > MaxSize {
		return nil, fmt.Errorf("%w: %d bytes, %d allowed", ErrTooBig, len(data), MaxSize)
	}
	return data, nil
}
