// Package activity counts what a person's agents did in the last 30 days, for the
// charts on /me. It reads the audit once and from then on only what is new; what it
// counted is in this replica's memory and can be counted again at any time.
package activity

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/problem"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
	"github.com/comporta-mcp/comporta/services/auth/internal/lru"
)

// Days is how far back is counted: issue 4.
const Days = 30

// day is one day of UTC.
const day = 24 * time.Hour

const (
	// maxPersons bounds whose counts are held: some 50 MB with ten links each.
	maxPersons = 10_000
	// patience bounds one look. A person of millions of calls is counted in several.
	patience = 2 * time.Second
)

// Day is what was called on one day.
type Day struct{ Calls, Refused int }

// Last is a link's newest call.
type Last struct {
	At      time.Time
	Tool    string
	Outcome string // "ok" or a code of contract §5
	// Operation: it began work that is followed by itself.
	Operation bool
}

// Tally is what one link did.
type Tally struct {
	Days [Days]Day // the oldest first, today last
	Last Last      // zero: nothing is known
}

// Sum adds the days up.
func (t Tally) Sum() (sum Day) {
	for _, d := range t.Days {
		sum.Calls, sum.Refused = sum.Calls+d.Calls, sum.Refused+d.Refused
	}
	return sum
}

// Records reads the audit; audit.Reader does.
type Records interface {
	Forward(ctx context.Context, s audit.Stretch) iter.Seq2[audit.Found, error]
}

// Counter counts. It is safe for concurrent use.
type Counter struct {
	records Records
	now     func() time.Time

	mu      sync.Mutex
	persons *lru.Map[int64, *counts]
}

// New makes a Counter.
func New(records Records, now func() time.Time) *Counter {
	return &Counter{records: records, now: now, persons: lru.New[int64, *counts](maxPersons)}
}

// counts is what is known of one person's links.
type counts struct {
	mu    sync.Mutex
	after uint64 // the place of the newest record that was counted
	links map[string]*count
}

type count struct {
	days map[int64]Day // by the day's number
	last Last
}

// Of gives the tallies of a person's links. whole is false where there was more than
// one look can count: what is missing is the newest, and the next look goes on there.
func (c *Counter) Of(ctx context.Context, person int64, links []string) (tallies map[string]Tally, whole bool, err error) {
	if len(links) == 0 {
		return nil, true, nil
	}
	known := c.of(person)
	known.mu.Lock()
	defer known.mu.Unlock()
	first := c.now().UTC().Truncate(day).Add(-(Days - 1) * day)
	whole, err = known.read(ctx, c.records, audit.Stretch{LinkIDs: links, Since: first, After: known.after})
	tallies = map[string]Tally{}
	for _, id := range links {
		tallies[id] = known.tally(id, number(first))
	}
	return tallies, whole, err
}

func (c *Counter) of(person int64) *counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, found := c.persons.Get(person)
	if !found {
		known = &counts{links: map[string]*count{}}
		c.persons.Put(person, known)
	}
	return known
}

// read counts what came since the last look.
func (k *counts) read(ctx context.Context, records Records, s audit.Stretch) (whole bool, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errLong)
	defer cancel()
	for found, err := range records.Forward(ctx, s) {
		if err != nil {
			if errors.Is(context.Cause(ctx), errLong) {
				return false, nil
			}
			return false, err
		}
		k.after = found.Place
		k.add(found.Record)
	}
	return true, nil
}

var errLong = errors.New("there is more than one look can count")

func (k *counts) add(r *auditv1.Record) {
	if r.GetKind() != auditv1.Kind_KIND_OUTCOME && r.GetKind() != auditv1.Kind_KIND_REFUSAL {
		return
	}
	c := k.links[r.GetLinkId()]
	if c == nil {
		c = &count{days: map[int64]Day{}}
		k.links[r.GetLinkId()] = c
	}
	at := r.GetAt().AsTime()
	d := c.days[number(at)]
	if n := max(int(r.GetCount()), 1); Refused(r) {
		d.Refused += n
	} else {
		d.Calls += n
	}
	c.days[number(at)] = d
	if r.GetTool() != "" && !at.Before(c.last.At) {
		c.last = Last{At: at, Tool: r.GetTool(), Outcome: r.GetOutcome(), Operation: r.GetOperationId() != ""}
	}
}

// Refused reports whether a record is of a call that was not let through.
func Refused(r *auditv1.Record) bool {
	switch problem.Code(r.GetOutcome()) {
	case problem.SinPermiso, problem.LimiteExcedido:
		return true
	default:
		return r.GetKind() == auditv1.Kind_KIND_REFUSAL
	}
}

// tally is a link's, from this day on; what is older is forgotten.
func (k *counts) tally(id string, first int64) (t Tally) {
	c := k.links[id]
	if c == nil {
		return t
	}
	t.Last = c.last
	for n, d := range c.days {
		switch i := n - first; {
		case i < 0:
			delete(c.days, n)
		case i < Days:
			t.Days[i] = d
		}
	}
	return t
}

func number(t time.Time) int64 { return t.Unix() / int64(day/time.Second) }
