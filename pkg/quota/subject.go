package quota

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"sync"
	"time"
)

// subject is what this process knows of one counted thing.
type subject struct {
	key  string
	turn chan struct{} // one call at a time looks at the fields below

	known    window    // as stored, at revision
	revision uint64    // 0: not known
	epoch    uint64    // of the limiter when revision was learnt
	alone    window    // calls that could not be stored yet
	seen     time.Time // when the newest of both was learnt
	spent    time.Time
}

func newSubject(key string) *subject {
	return &subject{key: key, turn: make(chan struct{}, 1)}
}

func (s *subject) lock(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *subject) unlock() { <-s.turn }

// learn takes over what is stored.
func (s *subject) learn(w window, revision, epoch uint64, now time.Time) {
	s.known, s.revision, s.epoch, s.seen = w, revision, epoch, now
}

// clock is the time of a call at local time now. It is always after the last
// call that is known: where that was written by a host whose clock is ahead, time
// goes on from there as it goes by here. It does not overtake that host's clock,
// which had reached the last call when it was seen.
func (s *subject) clock(now time.Time) int64 {
	last := max(s.known.last(), s.alone.last())
	if last == 0 {
		return now.UnixNano()
	}
	// Strictly after, so that no two calls of a record look like one.
	return max(now.UnixNano(), last+int64(now.Sub(s.seen)), last+1)
}

// subjects keeps the ones used last.
type subjects struct {
	most int

	mu    sync.Mutex
	order *list.List // of *subject, the one used last in front
	byKey map[string]*list.Element
}

func newSubjects(most int) *subjects {
	return &subjects{most: most, order: list.New(), byKey: map[string]*list.Element{}}
}

// get finds or makes a subject. One that was forgotten is learnt again from the
// store; only calls counted alone are forgotten with it.
func (s *subjects) get(key string) *subject {
	s.mu.Lock()
	defer s.mu.Unlock()
	if element := s.byKey[key]; element != nil {
		s.order.MoveToFront(element)
		return element.Value.(*subject)
	}
	made := newSubject(key)
	s.byKey[key] = s.order.PushFront(made)
	if s.order.Len() > s.most {
		oldest := s.order.Remove(s.order.Back()).(*subject)
		delete(s.byKey, oldest.key)
	}
	return made
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// storeKey is where a limit keeps a subject. A subject with other characters than
// a key may have, or too many, is kept under its hash; "=" never starts a plain one.
func storeKey(limit, subject string) string { return safe(limit) + "." + safe(subject) }

func safe(part string) string {
	if plain.MatchString(part) {
		return part
	}
	sum := sha256.Sum256([]byte(part))
	return "=" + hex.EncodeToString(sum[:16])
}
