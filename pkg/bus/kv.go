package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// KV gives a bucket of the list. It asks the server nothing, so it works before
// NATS is there; operations on it then fail until it is. The error is for a name
// that is not in the list.
func (b *Bus) KV(_ context.Context, name string) (jetstream.KeyValue, error) {
	listed := slices.ContainsFunc(Buckets(), func(c jetstream.KeyValueConfig) bool { return c.Bucket == name })
	if !listed {
		return nil, fmt.Errorf("bucket %s: %w", name, jetstream.ErrBucketNotFound)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.buckets[name] == nil {
		b.buckets[name] = &bucket{bus: b, name: name}
	}
	return b.buckets[name], nil
}

// bucket opens its real bucket at the first use that succeeds.
type bucket struct {
	bus  *Bus
	name string

	mu     sync.RWMutex
	opened jetstream.KeyValue
}

var _ jetstream.KeyValue = (*bucket)(nil)

func (b *bucket) open(ctx context.Context) (jetstream.KeyValue, error) {
	b.mu.RLock()
	opened := b.opened
	b.mu.RUnlock()
	if opened != nil {
		return opened, nil
	}
	opened, err := b.bus.JS.KeyValue(ctx, b.name)
	if err != nil {
		return nil, b.told(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opened = opened
	return opened, nil
}

// told names the bucket in an error, and has it made again when it is gone.
// What a caller decides by (key not found, wrong revision) stays findable.
func (b *bucket) told(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jetstream.ErrKeyNotFound), errors.Is(err, jetstream.ErrKeyExists):
		return err
	case errors.Is(err, jetstream.ErrBucketNotFound), errors.Is(err, jetstream.ErrStreamNotFound),
		errors.Is(err, jetstream.ErrNoStreamResponse), errors.Is(err, nats.ErrNoResponders):
		b.bus.upkeep.again()
	}
	return fmt.Errorf("bucket %s: %w", b.name, err)
}

// with runs do on the real bucket.
func with[T any](ctx context.Context, b *bucket, do func(jetstream.KeyValue) (T, error)) (T, error) {
	opened, err := b.open(ctx)
	if err != nil {
		var none T
		return none, err
	}
	result, err := do(opened)
	return result, b.told(err)
}

func (b *bucket) Bucket() string { return b.name }

func (b *bucket) Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	return with(ctx, b, func(kv jetstream.KeyValue) (jetstream.KeyValueEntry, error) { return kv.Get(ctx, key) })
}

func (b *bucket) GetRevision(ctx context.Context, key string, revision uint64) (jetstream.KeyValueEntry, error) {
	return with(ctx, b, func(kv jetstream.KeyValue) (jetstream.KeyValueEntry, error) {
		return kv.GetRevision(ctx, key, revision)
	})
}

func (b *bucket) Put(ctx context.Context, key string, value []byte) (uint64, error) {
	return with(ctx, b, func(kv jetstream.KeyValue) (uint64, error) { return kv.Put(ctx, key, value) })
}

func (b *bucket) PutString(ctx context.Context, key, value string) (uint64, error) {
	return b.Put(ctx, key, []byte(value))
}

func (b *bucket) Create(ctx context.Context, key string, value []byte, o ...jetstream.KVCreateOpt) (uint64, error) {
	return with(ctx, b, func(kv jetstream.KeyValue) (uint64, error) { return kv.Create(ctx, key, value, o...) })
}

func (b *bucket) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	return with(ctx, b, func(kv jetstream.KeyValue) (uint64, error) { return kv.Update(ctx, key, value, revision) })
}

func (b *bucket) Delete(ctx context.Context, key string, o ...jetstream.KVDeleteOpt) error {
	return b.each(ctx, func(kv jetstream.KeyValue) error { return kv.Delete(ctx, key, o...) })
}

func (b *bucket) Purge(ctx context.Context, key string, o ...jetstream.KVDeleteOpt) error {
	return b.each(ctx, func(kv jetstream.KeyValue) error { return kv.Purge(ctx, key, o...) })
}

func (b *bucket) PurgeDeletes(ctx context.Context, o ...jetstream.KVPurgeOpt) error {
	return b.each(ctx, func(kv jetstream.KeyValue) error { return kv.PurgeDeletes(ctx, o...) })
}

func (b *bucket) Watch(ctx context.Context, keys string, o ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	return with(ctx, b, func(kv jetstream.KeyValue) (jetstream.KeyWatcher, error) { return kv.Watch(ctx, keys, o...) })
}

func (b *bucket) WatchAll(ctx context.Context, o ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	return with(ctx, b, func(kv jetstream.KeyValue) (jetstream.KeyWatcher, error) { return kv.WatchAll(ctx, o...) })
}

func (b *bucket) WatchFiltered(ctx context.Context, keys []string, o ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	return with(ctx, b, func(kv jetstream.KeyValue) (jetstream.KeyWatcher, error) {
		return kv.WatchFiltered(ctx, keys, o...)
	})
}

func (b *bucket) Keys(ctx context.Context, o ...jetstream.WatchOpt) ([]string, error) {
	return with(ctx, b, func(kv jetstream.KeyValue) ([]string, error) { return kv.Keys(ctx, o...) })
}

func (b *bucket) ListKeys(ctx context.Context, o ...jetstream.WatchOpt) (jetstream.KeyLister, error) {
	return with(ctx, b, func(kv jetstream.KeyValue) (jetstream.KeyLister, error) { return kv.ListKeys(ctx, o...) })
}

func (b *bucket) ListKeysFiltered(ctx context.Context, filters ...string) (jetstream.KeyLister, error) {
	return with(ctx, b, func(kv jetstream.KeyValue) (jetstream.KeyLister, error) {
		return kv.ListKeysFiltered(ctx, filters...)
	})
}

func (b *bucket) History(ctx context.Context, key string, o ...jetstream.WatchOpt) ([]jetstream.KeyValueEntry, error) {
	return with(ctx, b, func(kv jetstream.KeyValue) ([]jetstream.KeyValueEntry, error) { return kv.History(ctx, key, o...) })
}

func (b *bucket) Status(ctx context.Context) (jetstream.KeyValueStatus, error) {
	return with(ctx, b, func(kv jetstream.KeyValue) (jetstream.KeyValueStatus, error) { return kv.Status(ctx) })
}

// each is with for operations that give nothing back.
func (b *bucket) each(ctx context.Context, do func(jetstream.KeyValue) error) error {
	_, err := with(ctx, b, func(kv jetstream.KeyValue) (struct{}, error) { return struct{}{}, do(kv) })
	return err
}
