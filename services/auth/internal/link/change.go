package link

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"
)

// ErrUnchanged is what a change returns that found nothing to do.
var ErrUnchanged = errors.New("nothing to change")

// Change reads a link anew, lets change work on a copy of it and writes that
// (unless it returns ErrUnchanged), again from the start where somebody else
// wrote meanwhile. Every replica knows
// at most MaxLate after this returns. The error is ErrNone, that of change, or
// another one when the bucket cannot be asked. It gives the link as it is then.
func (l *Links) Change(ctx context.Context, id string, change func(*Record) error) (*Record, error) {
	for try := range maxTries {
		v, err := l.store.read(ctx, id)
		switch {
		case err != nil:
			return nil, err
		case v.record == nil:
			return nil, ErrNone
		}
		changed := v.record.clone()
		err = change(changed)
		if errors.Is(err, ErrUnchanged) {
			return v.record, nil
		}
		if err != nil {
			return nil, err
		}
		changed.Version++
		written, err := l.store.update(ctx, *changed, v.revision)
		if errors.Is(err, errConflict) {
			wait(ctx, rand.N(min(time.Millisecond<<try, maxPause)))
			continue
		}
		if err != nil {
			return nil, err
		}
		l.cache.apply(id, written)
		return written.record, nil
	}
	return nil, fmt.Errorf("change link %s: %w", id, errConflict)
}

// clone is a copy that shares nothing that a change may write to.
func (r *Record) clone() *Record {
	c := *r
	c.Companies, c.Sessions, c.Marks = slices.Clone(r.Companies), slices.Clone(r.Sessions), slices.Clone(r.Marks)
	if r.Scope != nil {
		scope := *r.Scope
		scope.Areas, scope.Resources = slices.Clone(scope.Areas), maps.Clone(scope.Resources)
		c.Scope = &scope
	}
	return &c
}
