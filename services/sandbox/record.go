package sandbox

import (
	"slices"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	recordedRequests = 2000
	recordedBody     = 64 << 10 // bytes of a body that are kept
)

// Recorded is one request as it came. The Authorization header is never kept.
type Recorded struct {
	At             time.Time `json:"at"`
	Account        int64     `json:"account"` // 0: no valid token
	Method         string    `json:"method"`
	Target         string    `json:"target"` // as it stood in the request line
	ContentType    string    `json:"content_type,omitempty"`
	UserAgent      string    `json:"user_agent,omitempty"`
	IdempotencyKey string    `json:"idempotency_key,omitempty"`
	Body           string    `json:"body,omitempty"` // "" where it is no text
	BodyBytes      int       `json:"body_bytes"`
	Status         int       `json:"status"` // 0: not answered
}

// record is the last requests, in memory.
type record struct {
	mu   sync.Mutex
	last []*Recorded
}

func newRecord() *record { return &record{} }

// entry is a request whose answer is still to be written down.
type entry struct {
	in  *record
	one *Recorded
}

func (r *record) add(c *call, at time.Time) entry {
	one := &Recorded{
		At:             at.UTC(),
		Method:         c.http.Method,
		Target:         c.http.RequestURI,
		ContentType:    c.http.Header.Get("Content-Type"),
		UserAgent:      c.http.UserAgent(),
		IdempotencyKey: c.http.Header.Get("Idempotency-Key"),
		BodyBytes:      len(c.body),
	}
	if c.known {
		one.Account = c.holder.Company.ID
	}
	if utf8.Valid(c.body) {
		one.Body = string(c.body[:min(len(c.body), recordedBody)])
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = append(r.last, one)
	if len(r.last) > recordedRequests {
		r.last = slices.Delete(r.last, 0, len(r.last)-recordedRequests)
	}
	return entry{in: r, one: one}
}

func (e entry) answered(status int) {
	e.in.mu.Lock()
	defer e.in.mu.Unlock()
	e.one.Status = status
}

// find is the newest limit requests (0: all) that want holds for, oldest first.
func (r *record) find(limit int, want func(Recorded) bool) []Recorded {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := []Recorded{}
	for _, one := range slices.Backward(r.last) {
		if limit > 0 && len(found) == limit {
			break
		}
		if want(*one) {
			found = append(found, *one)
		}
	}
	slices.Reverse(found)
	return found
}

// forget drops what want holds for.
func (r *record) forget(want func(Recorded) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = slices.DeleteFunc(r.last, func(one *Recorded) bool { return want(*one) })
}
