package turn

import (
	"context"
	"slices"
	"sync"
)

// lines are the queues of this process, one per company that writes just now.
type lines struct {
	mu sync.Mutex
	of map[int64]*line
}

// line is one company's queue. The fields below waiting belong to whoever's turn it is.
type line struct {
	waiting []chan struct{} // closed when the turn comes

	lease    *lease // nil: none, or NATS is away
	served   int    // turns taken with this lease
	gaveBack bool   // a lease went back while others were in line
}

// join waits in line. Its error is ctx's.
func (ls *lines) join(ctx context.Context, companyID int64) (*line, error) {
	ls.mu.Lock()
	l, busy := ls.of[companyID]
	if !busy {
		l = &line{}
		ls.of[companyID] = l
		ls.mu.Unlock()
		return l, nil
	}
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	ls.mu.Unlock()

	select {
	case <-turn:
		return l, nil
	case <-ctx.Done():
		ls.abandon(companyID, l, turn)
		return nil, context.Cause(ctx)
	}
}

// abandon leaves the line, or passes on the turn that came at the same moment.
func (ls *lines) abandon(companyID int64, l *line, turn chan struct{}) {
	ls.mu.Lock()
	i := slices.Index(l.waiting, turn)
	if i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
	ls.mu.Unlock()
	if i < 0 {
		ls.leave(companyID, l)
	}
}

// waited reports whether anybody is in line behind the one whose turn it is.
func (ls *lines) waited(l *line) bool {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	return len(l.waiting) > 0
}

// leave lets the next in line have the turn.
func (ls *lines) leave(companyID int64, l *line) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if len(l.waiting) == 0 {
		delete(ls.of, companyID)
		return
	}
	next := l.waiting[0]
	l.waiting = l.waiting[1:]
	close(next)
}
