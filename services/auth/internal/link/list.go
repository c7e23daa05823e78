package link

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// Filter says which links List gives; a zero field wants all.
type Filter struct {
	PersonID int64
	State    State
	After    string // an id: only links after it
	Limit    int    // how many at most
}

func (f Filter) wants(r *Record) bool {
	return (f.PersonID == 0 || f.PersonID == r.PersonID) && (f.State == "" || f.State == r.State) && r.ID > f.After
}

// List gives links as they are stored now, by id, and whether there are more. It
// reads the whole bucket and holds no more than the limit of it in memory.
func (l *Links) List(ctx context.Context, f Filter) (found []*Record, more bool, err error) {
	watch, err := l.store.kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, false, fmt.Errorf("list links: %w", err)
	}
	defer drain(watch)
	for {
		select {
		case <-ctx.Done():
			return nil, false, fmt.Errorf("list links: %w", context.Cause(ctx))
		case entry, open := <-watch.Updates():
			switch {
			case !open:
				return nil, false, errors.New("list links: the watch ended")
			case entry == nil: // all that is there was seen
				return found, more, nil
			case !isLink(entry.Key()):
				continue
			}
			record, err := decode(entry.Key(), entry.Value())
			if err != nil {
				l.log.WarnContext(ctx, "a link cannot be listed", "link", entry.Key(), "error", err)
				continue
			}
			if f.wants(record) {
				found, more = insert(found, record, f.Limit, more)
			}
		}
	}
}

// insert keeps the first limit records by id.
func insert(found []*Record, record *Record, limit int, more bool) ([]*Record, bool) {
	at, _ := slices.BinarySearchFunc(found, record.ID, func(r *Record, id string) int { return cmp.Compare(r.ID, id) })
	if at >= limit {
		return found, true
	}
	found = slices.Insert(found, at, record)
	if len(found) > limit {
		return found[:limit], true
	}
	return found, more
}
