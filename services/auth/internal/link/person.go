package link

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"
)

// byPrefix begins the keys that tell a person's links: "by.<person>.<link>". The
// key comes before the record, so that no link is ever missing; one that leads to
// no record, or to another person's, is passed over.
const byPrefix = "by."

func byKeys(person int64) string { return byPrefix + strconv.FormatInt(person, 10) + "." }

// enter puts a link among those of a person.
func (l *Links) enter(ctx context.Context, person int64, id string) error {
	if _, err := l.store.kv.Put(ctx, byKeys(person)+id, nil); err != nil {
		return fmt.Errorf("enter link %s: %w", id, err)
	}
	return nil
}

const (
	// maxOfPerson bounds the links of one person that are looked at; the newest count.
	maxOfPerson = 500
	// parallelReads bounds how many records one listing reads at a time.
	parallelReads = 8
	listTimeout   = 5 * time.Second
)

// OfPerson gives the links of a person as they are now, the newest first, revoked
// ones and those of personal tokens included.
func (l *Links) OfPerson(ctx context.Context, person int64) ([]*Record, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	ids, err := l.idsOf(ctx, person)
	if err != nil {
		return nil, fmt.Errorf("list the links of person %d: %w", person, err)
	}
	found := make([]*Record, len(ids))
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(parallelReads)
	for i, id := range ids {
		reading.Go(func() error {
			record, err := l.Get(ctx, id)
			if errors.Is(err, ErrNone) || err == nil && record.PersonID != person {
				return nil
			}
			found[i] = record
			return err
		})
	}
	if err := reading.Wait(); err != nil {
		return nil, fmt.Errorf("list the links of person %d: %w", person, err)
	}
	found = slices.DeleteFunc(found, func(r *Record) bool { return r == nil })
	slices.SortFunc(found, func(a, b *Record) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	return found, nil
}

func (l *Links) idsOf(ctx context.Context, person int64) ([]string, error) {
	prefix := byKeys(person)
	watch, err := l.store.kv.Watch(ctx, prefix+"*", jetstream.IgnoreDeletes(), jetstream.MetaOnly())
	if err != nil {
		return nil, err
	}
	defer drain(watch)
	var ids []string
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case entry, open := <-watch.Updates():
			switch {
			case !open:
				return nil, errors.New("the watch ended")
			case entry == nil: // all that is there was seen, the oldest first
				return ids[max(0, len(ids)-maxOfPerson):], nil
			default:
				ids = append(ids, strings.TrimPrefix(entry.Key(), prefix))
			}
		}
	}
}
