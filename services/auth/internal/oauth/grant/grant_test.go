package grant

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/seal"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/fault"
)

const (
	client   = "https://agent.example/client.json"
	redirect = "http://127.0.0.1:49152/callback"
)

var (
	verifier  = strings.Repeat("v", 43)
	challenge = func() string {
		sum := sha256.Sum256([]byte(verifier))
		return base64.RawURLEncoding.EncodeToString(sum[:])
	}()
	lives = Lives{Code: time.Minute, Access: 8 * time.Hour, Refresh: 30 * 24 * time.Hour, Grace: 30 * time.Second}
)

// world is grants on real buckets with a clock that the test moves.
type world struct {
	*testing.T
	grants *Grants
	links  *link.Links
	linkID string
	keys   *seal.Opener

	mu  sync.Mutex
	now time.Time
}

func newWorld(t *testing.T, l Lives) *world {
	w := &world{T: t, now: time.Date(2026, 9, 1, 12, 0, 0, 123, time.UTC)}
	server, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Port: -1, Lax: true})
	must(t, err)
	t.Cleanup(server.Stop)
	b, err := bus.Connect(bus.Config{URL: server.URL()}, "test", slog.New(slog.DiscardHandler), nil)
	must(t, err)
	t.Cleanup(b.Close)
	must(t, b.Ensure(t.Context()))
	keysKV, err := b.KV(t.Context(), bus.Keys)
	must(t, err)
	master, err := seal.ParseMaster(base64.StdEncoding.EncodeToString(make([]byte, 32)))
	must(t, err)
	w.keys, err = seal.NewOpener(t.Context(), keysKV, master, w.clock)
	must(t, err)
	linksKV, err := b.KV(t.Context(), bus.Links)
	must(t, err)
	w.links = link.New(link.Options{
		Conn: b.Conn, JS: b.JS, KV: linksKV, Replica: "test", Cached: 10,
		Log: slog.New(slog.DiscardHandler), Now: w.clock, Metrics: prometheus.NewRegistry(),
	})
	records, err := b.Records(bus.Grants)
	must(t, err)
	w.grants = New(records, w.keys, w.links, l, w.clock)
	joined, err := w.links.Join(t.Context(), 7, client, func(r *link.Record) error {
		r.Scope = &link.Scope{Areas: []string{"build"}, Ask: identity.AskNever}
		return nil
	})
	must(t, err)
	w.linkID = joined.ID
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func anything(*link.Record) error { return nil }

func (w *world) begin() identity.Secret {
	w.Helper()
	code, err := w.grants.Begin(w.Context(), Begin{
		LinkID: w.linkID, ClientID: client, RedirectURI: redirect, Repeat: true, Challenge: challenge,
		Until: w.clock().Add(180 * 24 * time.Hour),
	})
	must(w.T, err)
	return code
}

func exchange(code identity.Secret) Exchange {
	return Exchange{Code: code, ClientID: client, RedirectURI: redirect, Verifier: verifier, Allowed: anything}
}

// redeem gives the first pair of a new session.
func (w *world) redeem(code identity.Secret) Pair {
	w.Helper()
	r, err := w.grants.Redeem(w.Context(), exchange(code))
	must(w.T, err)
	return w.pair(r)
}

func (w *world) pair(r *Record) Pair {
	w.Helper()
	p, err := w.grants.Pair(w.Context(), r, "build")
	must(w.T, err)
	return p
}

func (w *world) rotate(refresh identity.Secret) (Pair, error) {
	r, err := w.grants.Rotate(w.Context(), refresh, client, anything)
	if err != nil {
		return Pair{}, err
	}
	return w.grants.Pair(w.Context(), r, "build")
}

// good reports whether an access token may act now.
func (w *world) good(token identity.Secret) bool {
	w.Helper()
	a, ok := w.grants.Access(w.Context(), token)
	if !ok {
		return false
	}
	l, err := w.links.Get(w.Context(), LinkID(a.Grant))
	must(w.T, err)
	_, open := l.Session(a.Grant, w.clock())
	return open
}

func (w *world) wantFault(err error, says string) {
	w.Helper()
	f, ok := errors.AsType[*fault.Fault](err)
	if !ok || f.Code != fault.InvalidGrant || !strings.Contains(f.Description, says) {
		w.Errorf("the error is %v, want invalid_grant that says %q", err, says)
	}
}

func (w *world) marks() (what []string) {
	w.Helper()
	l, err := w.links.Get(w.Context(), w.linkID)
	must(w.T, err)
	for _, m := range l.Marks {
		what = append(what, m.What)
	}
	return what
}

const reused = "Refresh token already used; the session was revoked"

func TestACodeIsBoundToItsRequest(t *testing.T) {
	w := newWorld(t, lives)
	tests := []struct {
		name   string
		change func(*Exchange)
		says   string
	}{
		{"another client", func(x *Exchange) { x.ClientID = "other" }, "another client"},
		{"another redirect URI", func(x *Exchange) { x.RedirectURI = "http://127.0.0.1:49153/callback" }, "redirect_uri"},
		{"no redirect URI", func(x *Exchange) { x.RedirectURI = "" }, "redirect_uri"},
		{"another verifier", func(x *Exchange) { x.Verifier = strings.Repeat("w", 43) }, "code_verifier"},
		{"no verifier", func(x *Exchange) { x.Verifier = "" }, "code_verifier"},
		{"the challenge as verifier", func(x *Exchange) { x.Verifier = challenge }, "code_verifier"},
		{"a verifier that is too short", func(x *Exchange) { x.Verifier = "v" }, "code_verifier"},
		{"an invented code", func(x *Exchange) { x.Code = x.Code[:len(x.Code)-4] + "AAAA" }, "not known"},
	}
	code := w.begin()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x := exchange(code)
			test.change(&x)
			_, err := w.grants.Redeem(t.Context(), x)
			w.wantFault(err, test.says)
		})
	}
	if p := w.redeem(code); !w.good(p.Access) {
		t.Error("after all that the code is of no use to its own client")
	}
}

func TestACodeLivesAMinute(t *testing.T) {
	w := newWorld(t, lives)
	code := w.begin()
	w.pass(61 * time.Second)
	_, err := w.grants.Redeem(t.Context(), exchange(code))
	w.wantFault(err, "expired")
}

func TestOfTwentyExchangesAtOnceOneWins(t *testing.T) {
	w := newWorld(t, lives)
	code := w.begin()
	var won []Pair
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			r, err := w.grants.Redeem(t.Context(), exchange(code))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				w.wantFault(err, "")
				return
			}
			won = append(won, w.pair(r))
		})
	}
	all.Wait()
	if len(won) != 1 {
		t.Fatalf("%d exchanges won", len(won))
	}
	if w.good(won[0].Access) {
		t.Error("the code was used again, and what it gave still works (contract §4)")
	}
	if got := w.marks(); len(got) != 1 || got[0] != link.MarkCodeReused {
		t.Errorf("marks %v", got)
	}
}

func TestAReplayedCodeEndsWhatItGave(t *testing.T) {
	for name, later := range map[string]time.Duration{"at once": 0, "after two days": 48 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, lives)
			code := w.begin()
			p := w.redeem(code)
			p, err := w.rotate(p.Refresh)
			must(t, err)
			w.pass(later)
			_, err = w.grants.Redeem(t.Context(), exchange(code))
			w.wantFault(err, "revoked")
			if w.good(p.Access) {
				t.Error("the access token still works")
			}
			_, err = w.rotate(p.Refresh)
			w.wantFault(err, "over")
		})
	}
}

func TestARefreshGivesASuccessorAndEndsNoAccessToken(t *testing.T) {
	w := newWorld(t, lives)
	first := w.redeem(w.begin())
	second, err := w.rotate(first.Refresh)
	must(t, err)
	if second.Refresh == first.Refresh || second.Access == first.Access {
		t.Error("the successor is the same token")
	}
	for name, token := range map[string]identity.Secret{"before": first.Access, "after": second.Access} {
		if !w.good(token) {
			t.Errorf("the access token given %s the refresh does not work", name)
		}
	}
	w.pass(8*time.Hour + time.Second)
	if w.good(second.Access) {
		t.Error("an access token lives longer than 8 h")
	}
	third, err := w.rotate(second.Refresh)
	must(t, err)
	if !w.good(third.Access) {
		t.Error("the new access token does not work")
	}
}

func TestAnAnswerThatWasLostIsGivenAgain(t *testing.T) {
	w := newWorld(t, lives)
	first := w.redeem(w.begin())
	lost, err := w.rotate(first.Refresh)
	must(t, err)
	must(t, w.keys.Rotate(t.Context())) // even then
	w.pass(29 * time.Second)
	again, err := w.rotate(first.Refresh)
	must(t, err)
	if again != lost {
		t.Error("it is another successor")
	}
	next, err := w.rotate(again.Refresh)
	must(t, err)
	if !w.good(next.Access) {
		t.Error("the session does not go on")
	}
	_, err = w.rotate(first.Refresh)
	w.wantFault(err, reused) // two generations back: no grace
	if w.good(next.Access) || w.good(first.Access) {
		t.Error("the session lives on")
	}
	if got := w.marks(); len(got) != 1 || got[0] != link.MarkRefreshReused {
		t.Errorf("marks %v", got)
	}
}

func TestAUsedRefreshTokenEndsTheSession(t *testing.T) {
	const day = 24 * time.Hour
	for name, after := range map[string]time.Duration{
		"just after its grace": 30 * time.Second, "after 8 h": 8 * time.Hour, "after 31 d": 31 * day, "after 181 d": 181 * day,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, lives)
			first := w.redeem(w.begin())
			second, err := w.rotate(first.Refresh)
			must(t, err)
			w.pass(after)
			_, err = w.rotate(first.Refresh)
			w.wantFault(err, reused)
			if w.good(second.Access) {
				t.Error("the access token of the successor still works")
			}
			_, err = w.rotate(second.Refresh)
			w.wantFault(err, "")
		})
	}
}

func TestLivesEndOnAMovedClock(t *testing.T) {
	const day = 24 * time.Hour
	t.Run("a refresh token that nobody used for 30 d", func(t *testing.T) {
		w := newWorld(t, lives)
		p := w.redeem(w.begin())
		w.pass(30*day + time.Second)
		_, err := w.rotate(p.Refresh)
		w.wantFault(err, "expired")
	})
	t.Run("a session that is refreshed every 20 d ends after 180", func(t *testing.T) {
		w := newWorld(t, lives)
		p := w.redeem(w.begin())
		var err error
		for range 8 {
			w.pass(20 * day)
			p, err = w.rotate(p.Refresh)
			must(t, err)
		}
		w.pass(20*day - 4*time.Hour)
		p, err = w.rotate(p.Refresh)
		must(t, err)
		if until := p.AccessUntil.Sub(w.clock()); until > 4*time.Hour {
			t.Errorf("an access token outlives the session: it lives %s", until)
		}
		w.pass(4 * time.Hour)
		if w.good(p.Access) {
			t.Error("the session lives longer than 180 d")
		}
		_, err = w.rotate(p.Refresh)
		w.wantFault(err, "")
	})
}

func TestAHundredRefreshesAtOnce(t *testing.T) {
	strict := lives
	strict.Grace = 0
	for _, test := range []struct {
		name  string
		lives Lives
		good  int
	}{
		{"in grace all get the very same successor", lives, 100},
		{"strict, one gets it and the session is over", strict, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, test.lives)
			first := w.redeem(w.begin())
			var mu sync.Mutex
			answers := map[Pair]int{}
			var all sync.WaitGroup
			for range 100 {
				all.Go(func() {
					p, err := w.rotate(first.Refresh)
					mu.Lock()
					defer mu.Unlock()
					if err != nil {
						w.wantFault(err, "")
						return
					}
					answers[p]++
				})
			}
			all.Wait()
			if len(answers) != 1 {
				t.Fatalf("%d different successors", len(answers))
			}
			for p, times := range answers {
				if times != test.good {
					t.Errorf("%d got the successor, want %d", times, test.good)
				}
				if lives := w.good(p.Access); lives != (test.lives.Grace > 0) {
					t.Errorf("the session lives: %v", lives)
				}
			}
		})
	}
}

func TestAnotherClientGetsNothing(t *testing.T) {
	w := newWorld(t, lives)
	p := w.redeem(w.begin())
	_, err := w.grants.Rotate(t.Context(), p.Refresh, "other", anything)
	w.wantFault(err, "another client")
	must(t, w.grants.Revoke(t.Context(), p.Refresh, "other"))
	if !w.good(p.Access) {
		t.Error("another client ended the session")
	}
}

func TestRevoking(t *testing.T) {
	for name, which := range map[string]func(Pair) identity.Secret{
		"the refresh token": func(p Pair) identity.Secret { return p.Refresh },
		"an access token":   func(p Pair) identity.Secret { return p.Access },
	} {
		t.Run(name+" ends the session and no other", func(t *testing.T) {
			w := newWorld(t, lives)
			p, other := w.redeem(w.begin()), w.redeem(w.begin())
			must(t, w.grants.Revoke(t.Context(), which(p), client))
			must(t, w.grants.Revoke(t.Context(), which(p), client)) // twice is no error
			if w.good(p.Access) {
				t.Error("the access token still works")
			}
			_, err := w.rotate(p.Refresh)
			w.wantFault(err, "over")
			if !w.good(other.Access) {
				t.Error("the other session was ended too")
			}
		})
	}
	t.Run("what is no token is no error", func(t *testing.T) {
		w := newWorld(t, lives)
		must(t, w.grants.Revoke(t.Context(), "at_nonsense", client))
	})
}
