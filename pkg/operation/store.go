package operation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/proto"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// Store keeps operations and their queue. It is safe for concurrent use.
//
// Errors of the methods that hosts call (Submit, Get, List, Wait, Cancel) are
// problems; those that workers call (Load, Save, Requeue, Queued, Follow) are
// the errors of package record.
type Store struct {
	bus     *bus.Bus
	records *record.Bucket[*operationv1.Operation]
	now     func() time.Time
}

// NewStore makes the store. It asks NATS nothing.
func NewStore(b *bus.Bus, now func() time.Time) *Store {
	return &Store{bus: b, records: record.Open[*operationv1.Operation](b, bus.Operations), now: now}
}

// Record is an operation as it was stored.
type Record struct {
	Key string
	Op  *operationv1.Operation
	// revision is what the next change must have seen.
	revision uint64
}

// Load reads a record by the key of a queue message; record.ErrAbsent where there is none.
func (s *Store) Load(ctx context.Context, key string) (*Record, error) {
	if !validKey(key) {
		return nil, fmt.Errorf("operation %q: %w", key, record.ErrAbsent)
	}
	op, revision, err := s.records.Get(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("operation %s: %w", key, err)
	}
	return &Record{Key: key, Op: op, revision: revision}, nil
}

// Save stores what change makes of the operation, by compare-and-set: on any
// error rec is as it was, and record.ErrConflict says that somebody else changed
// the record since.
func (s *Store) Save(ctx context.Context, rec *Record, change func(*operationv1.Operation)) error {
	next := proto.CloneOf(rec.Op)
	change(next)
	touch(next, s.now())
	revision, err := s.records.Update(ctx, rec.Key, next, rec.revision)
	if err != nil {
		return fmt.Errorf("operation %s: %w", rec.Key, err)
	}
	payload := rec.Op.GetPayload()
	rec.Op, rec.revision = next, revision
	if Ended(next) {
		s.drop(ctx, payload)
	}
	return nil
}

// Get gives one of the link's operations. Another link's is no_encontrado, as is one that never was.
func (s *Store) Get(ctx context.Context, link, id string) (*operationv1.Operation, error) {
	rec, err := s.find(ctx, link, id)
	if err != nil {
		return nil, err
	}
	return rec.Op, nil
}

func (s *Store) find(ctx context.Context, link, id string) (*Record, error) {
	key, ok := Key(link, id)
	if !ok {
		return nil, unknown(id)
	}
	rec, err := s.Load(ctx, key)
	if errors.Is(err, record.ErrAbsent) {
		return nil, unknown(id)
	}
	if err != nil {
		return nil, away(err)
	}
	return rec, nil
}

// List gives the link's newest operations, newest first, at most limit of them,
// and how many there are in all.
func (s *Store) List(ctx context.Context, link string, limit int) ([]*operationv1.Operation, int, error) {
	keys, err := s.Keys(ctx, link)
	if err != nil {
		return nil, 0, away(err)
	}
	slices.Reverse(keys)
	ops := make([]*operationv1.Operation, 0, min(limit, len(keys)))
	for _, key := range keys[:min(limit, len(keys))] {
		rec, err := s.Load(ctx, key)
		switch {
		case errors.Is(err, record.ErrAbsent): // its 7 days ended just now
		case err != nil:
			return nil, 0, away(err)
		default:
			ops = append(ops, rec.Op)
		}
	}
	return ops, len(keys), nil
}

// Keys lists the keys of a link's operations, the oldest first, without their
// values, which may be large.
func (s *Store) Keys(ctx context.Context, link string) ([]string, error) {
	if !linkID.MatchString(link) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	watch, err := s.records.Watch(ctx, link+".*", jetstream.MetaOnly(), jetstream.IgnoreDeletes())
	if err != nil {
		return nil, err
	}
	defer func() { _ = watch.Stop() }()
	var keys []string
	for {
		select {
		case entry, open := <-watch.Updates():
			if !open {
				return nil, fmt.Errorf("list the operations of %s: %w", link, record.ErrAway)
			}
			if entry == nil {
				slices.Sort(keys)
				return slices.Compact(keys), nil
			}
			keys = append(keys, entry.Key())
		case <-ctx.Done():
			return nil, fmt.Errorf("list the operations of %s: %w", link, record.ErrAway)
		}
	}
}

func unknown(id string) error {
	return problem.New(problem.NoEncontrado, "There is no operation %q.", id).
		ToDo("Call listar_operaciones to see your operations. Results are kept for 7 days.")
}

func away(err error) error {
	return problem.New(problem.EstadoInvalido, "Operations cannot be looked up right now.").
		ToDo("Wait reintentar_en_segundos, then repeat the same call.").
		After(2 * time.Second).Wrap(err)
}
