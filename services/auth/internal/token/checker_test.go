package token

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/person"
)

// fakePlatform answers what its function says.
type fakePlatform struct {
	asked  atomic.Int64
	answer func(ctx context.Context, token identity.Secret) (person.Person, error)
}

func (f *fakePlatform) Ask(ctx context.Context, token identity.Secret) (person.Person, error) {
	f.asked.Add(1)
	return f.answer(ctx, token)
}

func always(p person.Person, err error) func(context.Context, identity.Secret) (person.Person, error) {
	return func(context.Context, identity.Secret) (person.Person, error) { return p, err }
}

func numbered(n int) identity.Secret { return identity.Secret(fmt.Sprintf("azion%035d", n)) }

func checker(t *testing.T, p *fakePlatform, change func(*Config)) *Checker {
	t.Helper()
	cfg := Defaults()
	if change != nil {
		change(&cfg)
	}
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	c := New(cfg, p, Options{Now: time.Now, Metrics: prometheus.NewRegistry()})
	t.Cleanup(c.Close)
	return c
}

func TestAnAnswerIsBelievedForItsTimeAndUseDoesNotExtendIt(t *testing.T) {
	tests := []struct {
		name  string
		err   error
		life  time.Duration
		check error
	}{
		{"a yes", nil, Defaults().PositiveLife, nil},
		{"a no", person.ErrRefused, Defaults().NegativeLife, ErrRefused},
		{"a plea for patience", &person.Busy{For: 4 * time.Second}, 4 * time.Second, &person.Busy{}},
		{"a plea for too much patience", &person.Busy{For: time.Hour}, maxPatience, &person.Busy{}},
		{"a failure", errors.New("down"), 0, errors.New("")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &fakePlatform{answer: always(person.Person{ID: 7}, test.err)}
				c := checker(t, p, nil)
				start := time.Now()
				for time.Since(start) < test.life { // in use all the time
					_, err := c.Check(t.Context(), numbered(1))
					if (err == nil) != (test.check == nil) || errors.Is(err, ErrRefused) != errors.Is(test.check, ErrRefused) {
						t.Fatalf("after %s: %v", time.Since(start), err)
					}
					time.Sleep(500 * time.Millisecond)
				}
				if test.life > 0 && p.asked.Load() != 1 {
					t.Errorf("asked %d times within the answer's life, want once", p.asked.Load())
				}
				before := p.asked.Load()
				_, _ = c.Check(t.Context(), numbered(1))
				if p.asked.Load() != before+1 {
					t.Error("not asked again after the answer's life")
				}
			})
		})
	}
}

// TestAYesIsNeverOlderThanTheContractsMinute: its age counts from the question.
func TestAYesIsNeverOlderThanTheContractsMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &fakePlatform{answer: func(context.Context, identity.Secret) (person.Person, error) {
			time.Sleep(2 * time.Second) // it judged at once, and answered late
			return person.Person{ID: 7}, nil
		}}
		c := checker(t, p, nil)
		asked := time.Now()
		if _, err := c.Check(t.Context(), numbered(1)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(Defaults().PositiveLife - time.Since(asked))
		if _, err := c.Check(t.Context(), numbered(1)); err != nil {
			t.Fatal(err)
		}
		if p.asked.Load() != 2 {
			t.Error("the answer was believed for longer, counted from the question")
		}
	})
}

func TestAFailureAfterAYesIsNoNo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &fakePlatform{answer: always(person.Person{ID: 7}, nil)}
		c := checker(t, p, nil)
		if _, err := c.Check(t.Context(), numbered(1)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		p.answer = always(person.Person{}, errors.New("down"))
		if _, err := c.Check(t.Context(), numbered(1)); err == nil || errors.Is(err, ErrRefused) {
			t.Errorf("the error is %v, want that nobody could be asked", err)
		}
		p.answer = always(person.Person{ID: 7}, nil)
		if _, err := c.Check(t.Context(), numbered(1)); err != nil {
			t.Errorf("once it is back: %v", err)
		}
	})
}

func TestManyCallersOfOneTokenAskOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &fakePlatform{answer: func(ctx context.Context, _ identity.Secret) (person.Person, error) {
			time.Sleep(time.Second)
			return person.Person{ID: 7}, ctx.Err()
		}}
		c := checker(t, p, nil)
		impatient, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		var callers sync.WaitGroup
		callers.Go(func() { // the first one leaves early; the others get their answer
			if _, err := c.Check(impatient, numbered(1)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the impatient caller got %v", err)
			}
		})
		synctest.Wait()
		for range 50 {
			callers.Go(func() {
				owner, err := c.Check(t.Context(), numbered(1))
				if err != nil || owner.Person.ID != 7 {
					t.Errorf("got %+v, %v", owner, err)
				}
			})
		}
		callers.Wait()
		if p.asked.Load() != 1 {
			t.Errorf("asked %d times, want once", p.asked.Load())
		}
	})
}

func TestAFloodOfInventedTokensHarmsNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var under, most atomic.Int64
		p := &fakePlatform{answer: func(_ context.Context, token identity.Secret) (person.Person, error) {
			most.Store(max(most.Load(), under.Add(1)))
			defer under.Add(-1)
			time.Sleep(50 * time.Millisecond)
			if token == numbered(1) {
				return person.Person{ID: 7}, nil
			}
			return person.Person{}, person.ErrRefused
		}}
		c := checker(t, p, func(c *Config) { c.Checks, c.Cached = 4, 10 })
		if _, err := c.Check(t.Context(), numbered(1)); err != nil {
			t.Fatal(err)
		}
		var flood sync.WaitGroup
		for n := range 1000 {
			flood.Go(func() {
				if _, err := c.Check(t.Context(), numbered(n+2)); err == nil {
					t.Error("an invented token was accepted")
				}
			})
		}
		flood.Wait()
		if most.Load() > 4 {
			t.Errorf("%d were checked at once, want at most 4", most.Load())
		}
		before := p.asked.Load()
		if _, err := c.Check(t.Context(), numbered(1)); err != nil || p.asked.Load() != before {
			t.Errorf("the good token was pushed out (%v)", err)
		}
		if c.bad.Len() > 10 || c.good.Len() > 10 {
			t.Errorf("%d and %d verdicts are remembered, want at most 10", c.bad.Len(), c.good.Len())
		}
	})
}

func TestTheShapeIsJudgedWithoutThePlatform(t *testing.T) {
	good := string(numbered(1))
	tests := []struct {
		name    string
		pattern string
		token   string
		asked   bool
	}{
		{"of the default shape", "", good, true},
		{"one character short", "", good[:39], false},
		{"one character long", "", good + "0", false},
		{"with a newline after it", "", good + "\n", false},
		{"with another beginning", "", strings.Replace(good, "azion", "azien", 1), false},
		{"with a letter outside ASCII", "", good[:39] + "é", false},
		{"empty", "", "", false},
		{"a pattern that is not anchored still means the whole", "[0-9]{4}", "12345", false},
		{"and fits the whole", "[0-9]{4}", "1234", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := &fakePlatform{answer: always(person.Person{ID: 7}, nil)}
			c := checker(t, p, func(c *Config) {
				if test.pattern != "" {
					c.Pattern = test.pattern
				}
			})
			_, err := c.Check(t.Context(), identity.Secret(test.token))
			if asked := p.asked.Load() == 1; asked != test.asked || errors.Is(err, ErrRefused) == test.asked {
				t.Errorf("asked: %v, %v; want %v", asked, err, test.asked)
			}
		})
	}
}

func TestPersonalTokensCanBeSwitchedOff(t *testing.T) {
	p := &fakePlatform{answer: always(person.Person{ID: 7}, nil)}
	c := checker(t, p, func(c *Config) { c.Accept = false })
	if _, err := c.Check(t.Context(), numbered(1)); !errors.Is(err, ErrRefused) || p.asked.Load() != 0 {
		t.Errorf("got %v after %d questions, want a refusal without one", err, p.asked.Load())
	}
}
