package oidc

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
)

func TestWhoeverWaitsForASlowIssuerWaitsForOneQuestionOnly(t *testing.T) {
	var questions atomic.Int32
	asked, answer := make(chan struct{}, 1), make(chan struct{})
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		questions.Add(1)
		asked <- struct{}{}
		<-answer
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"issuer":"` + server.URL + `","authorization_endpoint":"` + server.URL + `/auth","token_endpoint":"` + server.URL + `/token","jwks_uri":"` + server.URL + `/keys"}`))
	})
	cfg := Defaults()
	cfg.Issuer = server.URL
	i := New(cfg, "https://auth.example/sign-in/callback", bus.Records{}, http.DefaultTransport, time.Now)

	var all sync.WaitGroup
	first, leave := context.WithCancel(t.Context())
	all.Go(func() {
		if _, err := i.known(first); err == nil {
			t.Error("who left was waited for")
		}
	})
	<-asked
	leave() // the question goes on for the others
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := i.known(gone); err == nil {
		t.Error("who does not care to wait waited")
	}
	for range 20 {
		all.Go(func() {
			if _, err := i.known(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	close(answer)
	all.Wait()
	if _, err := i.known(t.Context()); err != nil || questions.Load() != 1 {
		t.Errorf("the issuer was asked %d times, %v", questions.Load(), err)
	}
}
