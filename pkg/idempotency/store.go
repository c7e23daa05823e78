package idempotency

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// Store keeps what was the outcome of each keyed call, in the bucket
// "idempotency" (24 h from the last change). It is safe for concurrent use.
type Store struct {
	records *record.Bucket[*operationv1.Repeat]
}

// NewStore makes the store. It asks NATS nothing.
func NewStore(b *bus.Bus) *Store {
	return &Store{records: record.Open[*operationv1.Repeat](b, bus.Idempotency)}
}

// entry is a record as it was read.
type entry struct {
	key      string
	repeat   *operationv1.Repeat
	revision uint64
}

// bucketKey hides what callers put into their keys and makes it fit for NATS.
func bucketKey(link, tool, key string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{link, tool, key}, "\x00")))
	return hex.EncodeToString(sum[:])
}

// load gives the record of a key; record.ErrAbsent where there is none.
func (s *Store) load(ctx context.Context, key string) (*entry, error) {
	repeat, revision, err := s.records.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	return &entry{key: key, repeat: repeat, revision: revision}, nil
}

// changed waits until the record is no longer of e's revision, at most for d.
func (s *Store) changed(ctx context.Context, e *entry, d time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	watch, err := s.records.Watch(ctx, e.key)
	if err != nil {
		return err
	}
	defer func() { _ = watch.Stop() }()
	for {
		select {
		case now, open := <-watch.Updates():
			if !open || (now != nil && now.Revision() != e.revision) {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
	}
}
