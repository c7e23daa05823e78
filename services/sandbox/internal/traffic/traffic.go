// Package traffic remembers the requests that the sandbox served, per company
// and bounded, as the events that the platform's analytics would have of them.
// What is asked of the events, and how, is package graph's.
package traffic

import (
	"slices"
	"sync"
	"time"
)

// Kept is how many events of one company are remembered; the oldest go first.
const Kept = 20_000

// Event is one request that was served.
type Event struct {
	ID            string
	At            time.Time
	Host          string
	Method        string
	URI           string // path and query
	Protocol      string // "HTTP/1.1"
	RemoteAddress string // without the port
	UserAgent     string
	ContentType   string // of the answer
	Status        int
	RequestLength int64 // bytes of the request's body
	BytesSent     int64 // bytes of the answer's body
	Took          time.Duration
}

// Log is the events of all companies, in memory. It is safe for concurrent use.
type Log struct {
	mu        sync.Mutex
	companies map[int64]*ring
}

// NewLog is a log without events.
func NewLog() *Log { return &Log{companies: map[int64]*ring{}} }

// Add remembers an event of a company.
func (l *Log) Add(company int64, e Event) {
	e.At = e.At.UTC()
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.companies[company]
	if r == nil {
		r = &ring{}
		l.companies[company] = r
	}
	r.add(e)
}

// Between is a company's events from begin to end, both included, oldest first.
func (l *Log) Between(company int64, begin, end time.Time) []Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []Event
	if r := l.companies[company]; r != nil {
		for _, e := range r.events {
			if !e.At.Before(begin) && !e.At.After(end) {
				found = append(found, e)
			}
		}
	}
	// Requests end in another order than they begin, and the ring wraps.
	slices.SortStableFunc(found, func(a, b Event) int { return a.At.Compare(b.At) })
	return found
}

// ring holds the last Kept events, in no order.
type ring struct {
	events []Event
	next   int
}

func (r *ring) add(e Event) {
	if len(r.events) < Kept {
		r.events = append(r.events, e)
		return
	}
	r.events[r.next] = e
	r.next = (r.next + 1) % Kept
}
