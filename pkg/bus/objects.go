package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// Objects opens an object store of the list. Unlike KV it asks the server, so it
// fails while NATS is away.
func (b *Bus) Objects(ctx context.Context, name string) (jetstream.ObjectStore, error) {
	store, err := b.JS.ObjectStore(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		b.upkeep.again()
	}
	if err != nil {
		return nil, fmt.Errorf("object store %s: %w", name, err)
	}
	return store, nil
}
