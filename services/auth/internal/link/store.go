package link

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/comporta-mcp/comporta/pkg/bus"
)

// store reads and writes the records themselves.
type store struct {
	conn    *nats.Conn
	kv      jetstream.KeyValue
	records bus.Records // of the same bucket
}

// versioned is a record with its revision in the bucket. record is nil where
// there is none (any more).
type versioned struct {
	record   *Record
	revision uint64
}

// read asks the stream's leader: a copy that lags would bring a revoked link
// back to life.
func (s store) read(ctx context.Context, id string) (versioned, error) {
	stored, err := s.records.Read(ctx, id)
	if err != nil {
		return versioned{}, fmt.Errorf("read link %s: %w", id, err)
	}
	if stored.Value == nil {
		return versioned{revision: stored.Revision}, nil
	}
	record, err := decode(id, stored.Value)
	return versioned{record: record, revision: stored.Revision}, err
}

// errConflict: somebody else wrote first.
var errConflict = errors.New("the link was changed meanwhile")

// create writes a record that must not exist yet.
func (s store) create(ctx context.Context, r Record) (versioned, error) {
	return s.write(r, func(data []byte) (uint64, error) { return s.kv.Create(ctx, r.ID, data) })
}

// update writes over exactly the revision that was read.
func (s store) update(ctx context.Context, r Record, revision uint64) (versioned, error) {
	return s.write(r, func(data []byte) (uint64, error) { return s.kv.Update(ctx, r.ID, data, revision) })
}

func (s store) write(r Record, put func([]byte) (uint64, error)) (versioned, error) {
	data, err := encode(r)
	if err != nil {
		return versioned{}, err
	}
	revision, err := put(data)
	if bus.IsConflict(err) {
		return versioned{}, errConflict
	}
	if err != nil {
		return versioned{}, fmt.Errorf("write link %s: %w", r.ID, err)
	}
	return versioned{record: &r, revision: revision}, nil
}

func (s store) stream() string            { return "KV_" + s.kv.Bucket() }
func (s store) subject(key string) string { return "$KV." + s.kv.Bucket() + "." + key }
