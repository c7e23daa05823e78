package link

import (
	"context"
	"fmt"
	"testing"
	"time"
)

func TestTheLinksOfAPersonAreTheirsAlone(t *testing.T) {
	b := connect(t)
	l := links(t, b, "a", time.Now)
	change := func(person int64) func(*Record) error {
		return func(r *Record) error {
			r.Scope, r.Until = &Scope{Areas: []string{"build"}}, time.Now().Add(time.Hour)
			return nil
		}
	}
	first, err := l.Join(t.Context(), 7, "one", change(7))
	must(t, err)
	_, err = l.Join(t.Context(), 77, "one", change(77))
	must(t, err)
	must(t, l.SetState(t.Context(), first.ID, Revoked))
	second, err := l.Join(t.Context(), 7, "one", change(7)) // a revoked link stays revoked and stays listed
	must(t, err)
	_, err = l.Ensure(t.Context(), Record{ID: "pt_0123456789abcdef", PersonID: 7, ClientName: PersonalToken})
	must(t, err)

	got := map[string]State{}
	found, err := l.OfPerson(t.Context(), 7)
	must(t, err)
	for _, r := range found {
		got[r.ID] = r.State
	}
	want := map[string]State{first.ID: Revoked, second.ID: Active, "pt_0123456789abcdef": Active}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("person 7 has %v, want %v", got, want)
	}
	if none, err := l.OfPerson(t.Context(), 8); err != nil || len(none) != 0 {
		t.Errorf("a person without links has %v, %v", none, err)
	}
}

func TestATokenThatChangesItsPersonIsListedForTheNewOne(t *testing.T) {
	b := connect(t)
	now := time.Now()
	l := links(t, b, "a", func() time.Time { return now })
	run(t, l)
	record, err := l.Ensure(t.Context(), Record{ID: "pt_1", PersonID: 7})
	must(t, err)
	_, err = l.Get(t.Context(), "pt_1")
	must(t, err)
	must(t, l.writeUse(context.WithoutCancel(t.Context()), use{id: record.ID, seen: Record{PersonID: 9}, at: now.Add(2 * useEvery)}))
	for person, want := range map[int64]int{7: 0, 9: 1} {
		if found, err := l.OfPerson(t.Context(), person); err != nil || len(found) != want {
			t.Errorf("person %d has %d links, want %d (%v)", person, len(found), want, err)
		}
	}
}
