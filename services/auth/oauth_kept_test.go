package auth

import (
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/comporta-mcp/comporta/pkg/bus"
)

// TestWhatAnybodyMayWriteGoesByItself is the bug bank's B11: the store's own clock
// takes out what nobody uses.
func TestWhatAnybodyMayWriteGoesByItself(t *testing.T) {
	w := newWorld(t)
	r := w.withOAuth(nil)
	b := newBrowser(t, r.HTTP)
	store, err := bus.Connect(bus.Config{URL: w.nats.URL()}, "test", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	stream := func(bucket string) jetstream.Stream {
		s, err := store.JS.Stream(t.Context(), "KV_"+bucket)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	client := b.client()
	life := func() time.Duration {
		t.Helper()
		kept, err := stream(bus.Clients).GetLastMsgForSubject(t.Context(), "$KV."+bus.Clients+"."+client)
		if err != nil {
			t.Fatal(err)
		}
		ttl, err := time.ParseDuration(kept.Header.Get(jetstream.MsgTTLHeader))
		if err != nil {
			t.Fatalf("the client has no end: %v", err)
		}
		return ttl
	}
	if got := life(); got != 24*time.Hour {
		t.Errorf("a client that nobody approved is kept for %s", got)
	}
	path := b.authorize(request(client))
	if got := life(); got != 24*time.Hour {
		t.Errorf("a client that only asked is kept for %s", got)
	}
	b.signIn(path, goodToken)
	b.approve(path, nil)
	if got := life(); got <= longestLife || got > 2*longestLife {
		t.Errorf("an approved client is kept for %s; a session lasts %s", got, longestLife)
	}
	if got := stream(bus.Requests).CachedInfo().Config.MaxAge; got != 10*time.Minute {
		t.Errorf("an authorization request is kept for %s", got)
	}
}

func TestAnAddressBeginsNoMoreRequestsThanItMay(t *testing.T) {
	r := newWorld(t).withOAuth(nil)
	b := newBrowser(t, r.HTTP)
	target := "/authorize?" + request(b.client()).Encode()
	for range 400 {
		if response := b.do(http.MethodGet, target, nil); response.StatusCode == http.StatusTooManyRequests {
			return
		}
	}
	t.Error("400 requests were written in a row")
}
