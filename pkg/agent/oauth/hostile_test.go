package oauth

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestNoPageOfAHostileServerIsOpened: nothing but a sign-in page that the person's
// browser can show, of the authorization server that the metadata is about.
func TestNoPageOfAHostileServerIsOpened(t *testing.T) {
	for name, c := range map[string]struct{ member, value, want string }{
		"a file of this machine":        {"authorization_endpoint", "file://localhost/etc/passwd", "no https address"},
		"a program's own scheme":        {"authorization_endpoint", "ms-msdt://127.0.0.1/id", "no https address"},
		"a script":                      {"authorization_endpoint", "javascript:alert(1)", "javascript"},
		"a page without encryption":     {"authorization_endpoint", "http://evil.example/authorize", "HTTPS"},
		"metadata of somebody else":     {"issuer", "https://bank.example", "issuer"},
		"a token endpoint that is none": {"token_endpoint", "javascript:1", "javascript"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t)
			honest := p.Config.Handler
			p.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/.well-known/oauth-authorization-server" {
					honest.ServeHTTP(w, r)
					return
				}
				body := map[string]any{
					"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
					"registration_endpoint": p.URL + "/register", "response_types_supported": []string{"code"},
					"code_challenge_methods_supported": []string{"S256"},
				}
				body[c.member] = c.value
				answer(w, 200, body)
			})
			open := func(_ context.Context, page string) error { t.Errorf("opened %s", page); return nil }
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			req := httptest.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/mcp", nil)
			req.RequestURI = ""
			_, err := client(t, p, Config{Open: open}).Do(req)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestARecordThatCannotBeReadIsWrittenAnew: the person signs in once more, instead
// of being locked out until somebody finds the file.
func TestARecordThatCannotBeReadIsWrittenAnew(t *testing.T) {
	p, store := newPlatform(t), Folder(t.TempDir())
	mustEnter(t, client(t, p, Config{Store: store}), p)
	files, err := filepath.Glob(filepath.Join(string(store), "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte(`{"token":{"acc`), 0o600); err != nil {
		t.Fatal(err)
	}
	mustEnter(t, client(t, p, Config{Store: store}), p)
	mustEnter(t, client(t, p, Config{Store: store}), p)
	if p.shown != 2 {
		t.Errorf("%d pages, want 2", p.shown)
	}
}

// TestWhoGivesUpDoesNotGiveUpForOthers: the request that asked the person ends; the
// one that waited for it asks in its turn.
func TestWhoGivesUpDoesNotGiveUpForOthers(t *testing.T) {
	p := newPlatform(t)
	refused := make(chan struct{}, 2)
	honest := p.Config.Handler
	p.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		honest.ServeHTTP(w, r)
		if r.URL.Path == "/mcp" && r.Header.Get("Authorization") == "" {
			refused <- struct{}{}
		}
	})
	ctx, giveUp := context.WithCancel(t.Context())
	asked := make(chan struct{}, 2)
	show := browser(t)
	c := client(t, p, Config{Open: func(ctx context.Context, page string) error {
		asked <- struct{}{}
		if len(asked) == 1 {
			return nil // the person does not look
		}
		return show(ctx, page)
	}})
	first := make(chan error, 1)
	go func() {
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/mcp", nil)
		_, err := c.Do(req)
		first <- err
	}()
	for len(asked) == 0 {
		runtime.Gosched()
	}
	second := make(chan error, 1)
	go func() {
		status, err := enter(t, c, p)
		if err == nil && status != 200 {
			t.Errorf("status %d", status)
		}
		second <- err
	}()
	<-refused // the first
	<-refused
	giveUp()
	if err := <-first; err == nil {
		t.Error("the first one was answered")
	}
	if err := <-second; err != nil {
		t.Error(err)
	}
}

// TestARefreshOutlivesItsRequest: the server has spent the old refresh token.
func TestARefreshOutlivesItsRequest(t *testing.T) {
	p, store := newPlatform(t), Folder(t.TempDir())
	p.expires = 1 // within the leeway: expired at once
	ctx, giveUp := context.WithCancel(t.Context())
	honest := p.Config.Handler
	p.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("grant_type") == "refresh_token" {
			giveUp()
		}
		honest.ServeHTTP(w, r)
	})
	c := client(t, p, Config{Store: store})
	mustEnter(t, c, p)
	p.do(func() { p.expires = 3600 })
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(req); err == nil {
		t.Error("the request was answered")
	}
	mustEnter(t, c, p)
	if p.shown != 1 {
		t.Errorf("%d pages, want 1", p.shown)
	}
}
