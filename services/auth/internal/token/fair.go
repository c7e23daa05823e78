package token

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// fair shares the questions that may be under way at once among the addresses
// that ask: one that sends invented tokens waits behind itself, and leaves the
// rest to the first checks of everybody else. It is safe for concurrent use.
type fair struct {
	most int64 // for one address

	mu    sync.Mutex
	using map[string]*share
}

// share is one address's part; it is forgotten when nobody uses it.
type share struct {
	slots *semaphore.Weighted
	users int
}

// perAddress is the part of all questions that one address may have under way.
const perAddress = 4

func newFair(checks int) *fair {
	return &fair{most: int64(max(1, checks/perAddress)), using: map[string]*share{}}
}

// take waits for a place among the address's own; release gives it back. The
// error is ctx's. Where no address is known there is no bound.
func (f *fair) take(ctx context.Context, address string) (release func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	f.mu.Lock()
	s := f.using[address]
	if s == nil {
		s = &share{slots: semaphore.NewWeighted(f.most)}
		f.using[address] = s
	}
	s.users++
	f.mu.Unlock()
	if err := s.slots.Acquire(ctx, 1); err != nil {
		f.leave(address, s)
		return nil, err
	}
	return func() {
		s.slots.Release(1)
		f.leave(address, s)
	}, nil
}

func (f *fair) leave(address string, s *share) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.users--; s.users == 0 {
		delete(f.using, address)
	}
}
