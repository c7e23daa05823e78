package link

import (
	"context"
	"errors"
	"time"
)

const (
	// useEvery is how often a link's last use is written at most.
	useEvery = time.Minute
	// maxUses bounds the uses that wait to be written. More are dropped: the
	// next use of the same link comes soon, or is of no interest.
	maxUses = 1024
	// useTimeout bounds one write.
	useTimeout = 2 * time.Second
)

// use is a record's last use, with what is known of its person now.
type use struct {
	id   string
	seen Record
	at   time.Time
}

// Used notes that the link was used now. seen holds the person, the company and
// the address as of now; its other fields do not count. It never waits.
func (l *Links) Used(record *Record, seen Record) {
	now := l.now()
	if now.Sub(record.LastUseAt) < useEvery {
		return
	}
	select {
	case l.uses <- use{id: record.ID, seen: seen, at: now}:
	default:
		l.metrics.dropped.Inc()
	}
}

func (l *Links) writeUses(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case u := <-l.uses:
			if err := l.writeUse(ctx, u); err != nil && ctx.Err() == nil {
				l.log.Debug("a link's last use was not written", "link", u.id, "error", err)
			}
		}
	}
}

// writeUse writes over exactly the copy in hand, so that it can undo no change
// of state that somebody made meanwhile.
func (l *Links) writeUse(ctx context.Context, u use) error {
	v, found := l.cache.held(u.id)
	if !found || u.at.Sub(v.record.LastUseAt) < useEvery {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, useTimeout)
	defer cancel()
	used := *v.record
	used.LastUseAt, used.LastAddress = u.at.UTC(), u.seen.LastAddress
	if used.Scope == nil { // who a token belongs to may change; an approval names its person
		if used.PersonID != u.seen.PersonID {
			if err := l.enter(ctx, u.seen.PersonID, u.id); err != nil {
				return err
			}
		}
		used.PersonID, used.PersonName, used.Email = u.seen.PersonID, u.seen.PersonName, u.seen.Email
		used.CompanyID, used.CompanyName = u.seen.CompanyID, u.seen.CompanyName
	}
	written, err := l.store.update(ctx, used, v.revision)
	if errors.Is(err, errConflict) {
		return nil // the watch brings what the other one wrote
	}
	if err == nil {
		l.cache.apply(u.id, written)
	}
	return err
}
