package audit

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/identity"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// retryAfter is what a caller is told to wait when the audit cannot take a call.
const retryAfter = 5 * time.Second

// maxCounted bounds how many different refusals are told apart within a minute.
const maxCounted = 1024

// otherAddress stands for all addresses beyond maxCounted.
const otherAddress = "other"

// Refusal is a request that was refused before it became a call.
type Refusal struct {
	Area    string
	Profile string
	Address string
	// Message is why, in the contract's words: "Authentication failed".
	Message string
	Reason  string // more precise, where it is known; a fixed word, not the caller's text
	// Principal is who was refused; nil where no valid token was sent.
	Principal *identity.Principal
}

// Refused counts a refusal. Alike ones of a minute become one record: by address
// where there was no valid token, by link where there was. A crash loses the
// counts of the minute that runs.
func (l *Log) Refused(_ context.Context, r Refusal) {
	l.counts.add(r, l.now())
}

// counted is what makes refusals alike.
type counted struct{ link, address, area, profile, message, reason string }

type tally struct {
	count     uint32
	first     time.Time
	principal *identity.Principal
}

// refusals counts within the minute that runs.
type refusals struct {
	now func() time.Time

	mu      sync.Mutex
	tallies map[counted]*tally
}

func (f *refusals) add(r Refusal, now time.Time) {
	key := counted{address: cutText(r.Address, 64), area: r.Area, profile: cutText(r.Profile, 64), message: cutText(r.Message, 128), reason: cutText(r.Reason, 64)}
	if r.Principal != nil {
		key.link = r.Principal.Link.ID
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tallies == nil {
		f.tallies = map[counted]*tally{}
	}
	t := f.tallies[key]
	if t == nil && len(f.tallies) >= maxCounted {
		key = counted{address: otherAddress, area: r.Area, message: key.message}
		r.Principal = nil
		t = f.tallies[key]
	}
	if t == nil {
		t = &tally{first: now, principal: r.Principal}
		f.tallies[key] = t
	}
	t.count++
}

// take gives the tallies that are at least as old as age, and forgets them.
func (f *refusals) take(age time.Duration) map[counted]*tally {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := map[counted]*tally{}
	for key, t := range f.tallies {
		if f.now().Sub(t.first) >= age {
			out[key] = t
			delete(f.tallies, key)
		}
	}
	return out
}

// putBack adds tallies that found no room.
func (f *refusals) putBack(key counted, back *tally) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t := f.tallies[key]; t != nil {
		t.count += back.count
		t.first = back.first
		return
	}
	f.tallies[key] = back
}

func (l *Log) flushEachMinute(ctx context.Context) {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			l.flushRefusals(false)
		}
	}
}

// flushRefusals writes the counts of full minutes, or all of them, oldest first.
func (l *Log) flushRefusals(all bool) {
	age := time.Minute
	if all {
		age = 0
	}
	taken := l.counts.take(age)
	keys := make([]counted, 0, len(taken))
	for key := range taken {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b counted) int {
		return cmp.Or(taken[a].first.Compare(taken[b].first), strings.Compare(a.address, b.address))
	})
	for _, key := range keys {
		if !l.room.free(1) || l.keep(l.refusal(key, taken[key])) != nil {
			l.counts.putBack(key, taken[key])
		}
	}
}

func (l *Log) refusal(key counted, t *tally) *auditv1.Record {
	r := &auditv1.Record{
		Version: recordVersion, Kind: auditv1.Kind_KIND_REFUSAL, At: timestamppb.New(t.first),
		CallId: ulid.MustNew(ulid.Timestamp(t.first), rand.Reader).String(),
		Area:   key.area, Profile: key.profile, Address: key.address,
		Outcome: l.masker.Text(key.message), Reason: l.masker.Text(key.reason), Count: t.count,
	}
	l.caller(r, t.principal)
	return r
}
