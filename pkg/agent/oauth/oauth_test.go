package oauth

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// browser follows the page as a person's would, once; strangers first knock at the
// callback with a wrong state.
func browser(t *testing.T) func(context.Context, string) error {
	return func(ctx context.Context, page string) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
		if err != nil {
			return err
		}
		go func() {
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			_ = resp.Body.Close()
			http.DefaultClient.CloseIdleConnections()
		}()
		return nil
	}
}

func client(t *testing.T, p *platform, cfg Config) *http.Client {
	t.Helper()
	if cfg.Open == nil {
		cfg.Open = browser(t)
	}
	base := &http.Transport{}
	t.Cleanup(func() { base.CloseIdleConnections(); http.DefaultClient.CloseIdleConnections() })
	rt, err := New(cfg).For(p.URL+"/mcp", base)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Transport: rt}
}

// enter posts to the server and gives the status.
func enter(t *testing.T, c *http.Client, p *platform) (int, error) {
	t.Helper()
	resp, err := c.Post(p.URL+"/mcp", "application/json", strings.NewReader("{}"))
	if err != nil {
		return 0, err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode, nil
}

func mustEnter(t *testing.T, c *http.Client, p *platform) {
	t.Helper()
	if status, err := enter(t, c, p); status != 200 || err != nil {
		t.Fatalf("status %d, error %v", status, err)
	}
}

func TestManyRefusedRequestsAskThePersonOnce(t *testing.T) {
	p := newPlatform(t)
	c := client(t, p, Config{})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if status, err := enter(t, c, p); status != 200 || err != nil {
				t.Errorf("status %d, error %v", status, err)
			}
		})
	}
	wg.Wait()
	if p.shown != 1 || p.made != 1 {
		t.Errorf("%d pages, %d registrations", p.shown, p.made)
	}
}

func TestTheNextProcessIsSignedInAlready(t *testing.T) {
	p, store := newPlatform(t), Folder(filepath.Join(t.TempDir(), "tokens"))
	mustEnter(t, client(t, p, Config{Store: store}), p)
	mustEnter(t, client(t, p, Config{Store: store}), p)
	if p.shown != 1 {
		t.Errorf("%d pages", p.shown)
	}
	if runtime.GOOS == "windows" {
		return
	}
	files, _ := filepath.Glob(filepath.Join(string(store), "*"))
	for _, file := range append(files, string(store)) {
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v, %v", file, info.Mode(), err)
		}
	}
}

// TestARefreshIsNotDoneTwice is the client's side of B15: a second process must not
// present a refresh token that the first has used.
func TestARefreshIsNotDoneTwice(t *testing.T) {
	p, store := newPlatform(t), Folder(t.TempDir())
	p.expires = 1 // within the leeway: expired at once
	first, second := client(t, p, Config{Store: store}), client(t, p, Config{Store: store})
	mustEnter(t, first, p)
	p.do(func() { p.expires = 3600 })
	var wg sync.WaitGroup
	for _, c := range []*http.Client{first, second, second, first} {
		wg.Go(func() {
			if status, err := enter(t, c, p); status != 200 || err != nil {
				t.Errorf("status %d, error %v", status, err)
			}
		})
	}
	wg.Wait()
	if p.shown != 1 || p.exchanged != 2 {
		t.Errorf("%d pages, %d exchanges; want 1 and 2 (the code, one refresh)", p.shown, p.exchanged)
	}
}

// TestTokensThatLiveShorterThanTheMarginServe: each is within the margin in which
// a client refreshes, which is no reason to ask the person again.
func TestTokensThatLiveShorterThanTheMarginServe(t *testing.T) {
	p := newPlatform(t)
	p.expires = 5
	c := client(t, p, Config{Store: Folder(t.TempDir())})
	for range 3 {
		mustEnter(t, c, p)
	}
	if p.shown != 1 {
		t.Errorf("%d pages, want the first alone", p.shown)
	}
}

func TestARevokedSessionIsAskedForAgainWithTheSameClient(t *testing.T) {
	p, store := newPlatform(t), Folder(t.TempDir())
	c := client(t, p, Config{Store: store})
	mustEnter(t, c, p)
	p.do(func() { clear(p.access); clear(p.refresh) })
	mustEnter(t, c, p)
	if p.made != 1 {
		t.Errorf("%d registrations: the person meets a stranger", p.made)
	}
}

// TestAForgottenRegistrationIsMadeAnew is the client's side of B10.
func TestAForgottenRegistrationIsMadeAnew(t *testing.T) {
	p, store := newPlatform(t), Folder(t.TempDir())
	c := client(t, p, Config{Store: store})
	mustEnter(t, c, p)
	p.do(func() { clear(p.access); clear(p.refresh); clear(p.clients) })
	mustEnter(t, c, p)
	if p.made != 2 {
		t.Errorf("%d registrations, want 2", p.made)
	}
}

func TestARefusalIsTold(t *testing.T) {
	p := newPlatform(t)
	p.refuses = true
	if _, err := enter(t, client(t, p, Config{}), p); err == nil || !strings.Contains(err.Error(), "not today") {
		t.Errorf("error %v", err)
	}
}

func TestNobodyAnswers(t *testing.T) {
	p := newPlatform(t)
	c := client(t, p, Config{Open: func(context.Context, string) error { return nil }})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(req); err == nil || !strings.Contains(err.Error(), "nobody signed in") {
		t.Errorf("error %v", err)
	}
}

func TestTheCallbackTakesOnlyItsOwnAnswer(t *testing.T) {
	c, err := listenForCallback("", "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	defer http.DefaultClient.CloseIdleConnections()
	get := func(path string) int {
		resp, err := http.Get(strings.TrimSuffix(c.url, "/callback") + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	if got := get("/callback?state=&code=x"); got != 400 {
		t.Errorf("before anything was asked: %d", got)
	}
	c.expect("s")
	for path, want := range map[string]int{"/callback?state=other&code=x": 400, "/favicon.ico": 400, "/callback?state=s&code=x": 200} {
		if got := get(path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	if r, err := c.wait(t.Context()); err != nil || r.Code != "x" {
		t.Errorf("%+v, %v", r, err)
	}
}
