package activity

import (
	"context"
	"iter"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/audit"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
)

// stream is an audit of the test's own making.
type stream struct {
	all   []audit.Found
	given int // how many records were read in all
}

func (s *stream) add(link string, kind auditv1.Kind, outcome string, at time.Time, count uint32) {
	s.all = append(s.all, audit.Found{Place: uint64(len(s.all) + 1), Record: &auditv1.Record{
		LinkId: link, Kind: kind, Outcome: outcome, At: timestamppb.New(at), Count: count, Tool: "list_applications",
	}})
}

func (s *stream) Forward(_ context.Context, f audit.Stretch) iter.Seq2[audit.Found, error] {
	return func(yield func(audit.Found, error) bool) {
		for _, found := range s.all {
			if found.Place <= f.After || found.Record.GetAt().AsTime().Before(f.Since) {
				continue
			}
			s.given++
			if !yield(found, nil) {
				return
			}
		}
	}
}

func TestCallsAreCountedByDayAndOnlyOnce(t *testing.T) {
	now := time.Date(2026, 3, 30, 15, 0, 0, 0, time.UTC)
	s := &stream{}
	s.add("a", auditv1.Kind_KIND_OUTCOME, "ok", now.Add(-40*day), 0) // too old
	s.add("a", auditv1.Kind_KIND_OUTCOME, "ok", now.Add(-29*day), 0)
	s.add("a", auditv1.Kind_KIND_INTENT, "", now, 0) // its outcome counts
	s.add("a", auditv1.Kind_KIND_OUTCOME, "parametro_invalido", now, 0)
	s.add("a", auditv1.Kind_KIND_OUTCOME, "sin_permiso", now, 0)
	s.add("a", auditv1.Kind_KIND_REFUSAL, "Too many requests", now, 7)
	s.add("b", auditv1.Kind_KIND_OPERATION, "ok", now, 0) // the end of a call that was counted
	c := New(s, func() time.Time { return now })

	tallies, whole, err := c.Of(t.Context(), 7, []string{"a", "b"})
	if err != nil || !whole {
		t.Fatalf("whole %v, %v", whole, err)
	}
	a := tallies["a"]
	if a.Days[0] != (Day{Calls: 1}) || a.Days[Days-1] != (Day{Calls: 1, Refused: 8}) || a.Sum() != (Day{Calls: 2, Refused: 8}) {
		t.Errorf("a: %+v", a)
	}
	if b := tallies["b"].Sum(); b != (Day{}) {
		t.Errorf("b: %+v", b)
	}
	if a.Last.Outcome != "Too many requests" || !a.Last.At.Equal(now) {
		t.Errorf("the last call is %+v", a.Last)
	}

	read := s.given
	s.add("b", auditv1.Kind_KIND_OUTCOME, "ok", now.Add(day), 0)
	now = now.Add(day)
	tallies, _, err = c.Of(t.Context(), 7, []string{"a", "b"})
	if err != nil || s.given != read+1 {
		t.Errorf("the second look read %d records, want the new one only (%v)", s.given-read, err)
	}
	if a := tallies["a"]; a.Days[0] != (Day{}) || a.Days[Days-2] != (Day{Calls: 1, Refused: 8}) {
		t.Errorf("a day later a is %+v", a)
	}
	if b := tallies["b"]; b.Days[Days-1] != (Day{Calls: 1}) {
		t.Errorf("a day later b is %+v", b)
	}
}

func TestOneLookThatIsTooLongIsGoneOnWith(t *testing.T) {
	now := time.Date(2026, 3, 30, 15, 0, 0, 0, time.UTC)
	s := &cut{stream: &stream{}}
	for range 3 {
		s.add("a", auditv1.Kind_KIND_OUTCOME, "ok", now, 0)
	}
	c := New(s, func() time.Time { return now })
	tallies, whole, err := c.Of(t.Context(), 7, []string{"a"})
	if whole || err != nil || tallies["a"].Sum().Calls != 1 {
		t.Errorf("a look that was cut: %v, whole %v, %v", tallies, whole, err)
	}
	tallies, whole, err = c.Of(t.Context(), 7, []string{"a"})
	if !whole || err != nil || tallies["a"].Sum().Calls != 3 {
		t.Errorf("the next one: %v, whole %v, %v", tallies, whole, err)
	}
}

// cut is a stream whose first reading takes too long.
type cut struct {
	*stream
	again bool
}

func (s *cut) Forward(ctx context.Context, f audit.Stretch) iter.Seq2[audit.Found, error] {
	if s.again {
		return s.stream.Forward(ctx, f)
	}
	s.again = true
	return func(yield func(audit.Found, error) bool) {
		if yield(s.all[0], nil) {
			<-ctx.Done()
			yield(audit.Found{}, ctx.Err())
		}
	}
}
