package operation

import (
	"context"
	"time"

	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// Wait gives the link's operation when it ends, or as it is when d passes or ctx
// ends, whatever comes first.
func (s *Store) Wait(ctx context.Context, link, id string, d time.Duration) (*operationv1.Operation, error) {
	rec, err := s.find(ctx, link, id)
	if err != nil || Ended(rec.Op) || d <= 0 {
		return opOf(rec), err
	}
	waiting, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	if op := s.awaitEnd(waiting, rec.Key); op != nil {
		return op, nil
	}
	if ctx.Err() != nil { // the caller left; the last known state is as good as any
		return rec.Op, nil
	}
	rec, err = s.find(ctx, link, id)
	return opOf(rec), err
}

func opOf(rec *Record) *operationv1.Operation {
	if rec == nil {
		return nil
	}
	return rec.Op
}

// awaitEnd gives the operation once it has ended; nil when ctx ends first.
func (s *Store) awaitEnd(ctx context.Context, key string) *operationv1.Operation {
	watch, err := s.records.Watch(ctx, key)
	if err != nil {
		<-ctx.Done() // NATS is away; the caller looks once more at the end
		return nil
	}
	defer func() { _ = watch.Stop() }()
	for {
		select {
		case entry, open := <-watch.Updates():
			if !open {
				<-ctx.Done()
				return nil
			}
			if entry == nil {
				continue
			}
			if op, err := s.records.Decode(entry.Value()); err == nil && Ended(op) {
				return op
			}
		case <-ctx.Done():
			return nil
		}
	}
}
