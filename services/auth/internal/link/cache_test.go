package link

import (
	"errors"
	"testing"
	"time"
)

// at is a record of link "l" as of a revision.
func at(revision uint64, state State) versioned {
	return versioned{record: &Record{ID: "l", State: state}, revision: revision}
}

// fresh is a cache whose watch is live and proven now.
func fresh(now *time.Time) *cache {
	c := newCache(10, MaxLate, func() time.Time { return *now })
	c.begin()
	c.proof(*now)
	return c
}

// loaded reads a record into the cache; meanwhile happens in the middle of it.
func loaded(c *cache, read versioned, meanwhile func()) {
	l, _ := c.join("l")
	if meanwhile != nil {
		meanwhile()
	}
	c.finish("l", l, read, nil)
}

func TestTheCacheNeverHoldsAnOlderRecordThanTheWatchBrought(t *testing.T) {
	tests := []struct {
		name  string
		steps func(c *cache)
		want  State // "": no copy
	}{
		{"what was read is held", func(c *cache) { loaded(c, at(5, Active), nil) }, Active},
		{"a change after the reading", func(c *cache) {
			loaded(c, at(5, Active), nil)
			c.apply("l", at(6, Revoked))
		}, Revoked},
		{"a change during the reading, which did not see it", func(c *cache) {
			loaded(c, at(5, Active), func() { c.apply("l", at(6, Revoked)) })
		}, Revoked},
		{"a change during the reading, which saw a later one", func(c *cache) {
			loaded(c, at(7, Active), func() { c.apply("l", at(6, Paused)) })
		}, Active},
		{"a change that the watch brings after a later one was read", func(c *cache) {
			loaded(c, at(7, Revoked), nil)
			c.apply("l", at(6, Active))
		}, Revoked},
		{"a change of a link that nobody uses", func(c *cache) { c.apply("l", at(6, Active)) }, ""},
		{"a removed record", func(c *cache) {
			loaded(c, at(5, Active), nil)
			c.apply("l", versioned{revision: 6})
		}, ""},
		{"a record that is removed during the reading", func(c *cache) {
			loaded(c, at(5, Active), func() { c.apply("l", versioned{revision: 6}) })
		}, ""},
		{"a new watch, which did not see what was between", func(c *cache) {
			loaded(c, at(5, Active), nil)
			c.begin()
			c.proof(c.now())
		}, ""},
		{"a reading that began before a new watch", func(c *cache) {
			loaded(c, at(5, Active), func() { c.begin(); c.proof(c.now()) })
		}, ""},
		{"a watch that has brought nothing yet may have missed something", func(c *cache) {
			c.begin()
			loaded(c, at(5, Active), nil)
			c.proof(c.now())
		}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			now := time.Now()
			c := fresh(&now)
			test.steps(c)
			v, found := c.get("l")
			switch {
			case test.want == "" && found:
				t.Errorf("a copy is held: %+v", v.record)
			case test.want != "" && (!found || v.record.State != test.want):
				t.Errorf("held: %+v, %v; want %s", v.record, found, test.want)
			}
		})
	}
}

func TestACopyIsGivenAwayOnlyWhileTheWatchIsNotLate(t *testing.T) {
	now := time.Now()
	start := now
	c := fresh(&now)
	loaded(c, at(5, Active), nil)
	steps := []struct {
		name  string
		after time.Duration
		proof time.Duration // -1: none
		given bool
	}{
		{"proven a second ago", time.Second, -1, true},
		{"proven more than a second ago", time.Second + 1, -1, false},
		{"proven again by a heartbeat that was sent lately", 3 * time.Second, 2500 * time.Millisecond, true},
		{"an old heartbeat that comes late proves nothing new", 5 * time.Second, 3 * time.Second, false},
	}
	for _, step := range steps {
		now = start.Add(step.after)
		if step.proof >= 0 {
			c.proof(start.Add(step.proof))
		}
		if _, given := c.get("l"); given != step.given {
			t.Errorf("%s: given %v, want %v", step.name, given, step.given)
		}
	}
}

func TestAReadingThatFailsKeepsNothing(t *testing.T) {
	now := time.Now()
	c := fresh(&now)
	l, mine := c.join("l")
	again, also := c.join("l")
	if !mine || also || l != again {
		t.Error("two readings of one record are under way")
	}
	c.finish("l", l, versioned{}, errors.New("away"))
	<-again.done
	if again.err == nil {
		t.Error("who joined does not see the error")
	}
	if _, found := c.get("l"); found {
		t.Error("something is held")
	}
}
