package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestWhichClientIDsAreDocuments(t *testing.T) {
	for id, want := range map[string]bool{
		"https://agent.example/client.json":         true,
		"https://agent.example/oauth/":              true,
		"https://agent.example:8443/client.json":    true,
		"https://agent.example":                     false,
		"https://agent.example/":                    false,
		"http://agent.example/client.json":          false,
		"https://agent.example/a/../client.json":    false,
		"https://agent.example/./client.json":       false,
		"https://agent.example/a/%2e%2e/client":     false,
		"https://agent.example/client.json#x":       false,
		"https://me@agent.example/client.json":      false,
		"https://agent.example/client .json":        false,
		"dc_00112233445566778899aabbccddeeff":       false,
		"https://" + strings.Repeat("a", 600) + "/": false,
	} {
		if got := IsDocument(id); got != want {
			t.Errorf("%q: %v", id, got)
		}
	}
}

// site is the host of documents, reached as agent.example.
type site struct {
	answer http.HandlerFunc
	asked  atomic.Int32
}

func newDocuments(t *testing.T, s *site, now func() time.Time) *Documents {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		s.answer(w, r)
	}))
	t.Cleanup(server.Close)
	address := server.Listener.Addr().String()
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		},
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return NewDocuments(transport, rules, now)
}

const docURL = "https://agent.example/client.json"

func answerWith(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, body)
	}
}

const goodDocument = `{"client_id":"https://agent.example/client.json","client_name":"Agent","redirect_uris":["http://127.0.0.1/cb"],"token_endpoint_auth_method":"none"}`

func TestADocumentMakesAVerifiedClient(t *testing.T) {
	d := newDocuments(t, &site{answer: answerWith(goodDocument)}, time.Now)
	c, err := d.Get(t.Context(), docURL)
	if err != nil {
		t.Fatal(err)
	}
	if c.ID != docURL || c.Name != "Agent" || c.Domain != "agent.example" || !c.Verified() || !c.Loopback() {
		t.Errorf("the client is %+v", c)
	}
}

func TestBadDocumentsMakeNoClient(t *testing.T) {
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "https://agent.example/other.json")
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			_, _ = fmt.Fprint(w, goodDocument)
		}
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"a redirect is not followed": {status(302), "302"},
		"not found":                  {status(404), "404"},
		"created is no 200":          {status(201), "201"},
		"a page": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, goodDocument)
		}, "JSON"},
		"another client's":            {answerWith(strings.Replace(goodDocument, "client.json", "clients.json", 1)), "client_id"},
		"no name":                     {answerWith(strings.Replace(goodDocument, "Agent", "", 1)), "client_name"},
		"no redirect URI":             {answerWith(strings.Replace(goodDocument, `"http://127.0.0.1/cb"`, "", 1)), "redirect_uris"},
		"a forbidden redirect URI":    {answerWith(strings.Replace(goodDocument, "http://127.0.0.1/cb", "javascript:x", 1)), "redirect_uris[0]"},
		"a shared secret":             {answerWith(strings.Replace(goodDocument, `"none"`, `"client_secret_basic"`, 1)), "secret"},
		"a secret in it":              {answerWith(strings.Replace(goodDocument, `"token_endpoint`, `"client_secret":"x","token_endpoint`, 1)), "secret"},
		"no JSON":                     {answerWith("<html>"), "JSON"},
		"JSON null":                   {answerWith("null"), "client_id"},
		"too long":                    {answerWith(goodDocument + strings.Repeat(" ", maxDocument)), "longer"},
		"a connection that is closed": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "could not be fetched"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &site{answer: c.answer}
			_, err := newDocuments(t, s, time.Now).Get(t.Context(), docURL)
			bad, ok := errors.AsType[*BadDocument](err)
			if !ok || !strings.Contains(bad.Why, c.says) {
				t.Errorf("the error is %v, want one that says %q", err, c.says)
			}
			if n := s.asked.Load(); n > 2 { // net/http repeats a GET whose connection broke
				t.Errorf("asked %d times", n)
			}
		})
	}
}

func TestADocumentIsKeptAsItsServerSays(t *testing.T) {
	for name, c := range map[string]struct {
		header string
		keep   time.Duration
	}{
		"as long as it says":       {"public, max-age=600", 10 * time.Minute},
		"a minute at least":        {"max-age=1", time.Minute},
		"a day at most":            {"max-age=99999999", 24 * time.Hour},
		"shortly, if it must not":  {"no-store", time.Minute},
		"an hour, if it says none": {"", time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			var mu atomic.Int64
			now := func() time.Time { return time.Unix(1_800_000_000+mu.Load(), 0) }
			s := &site{answer: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Cache-Control", c.header)
				answerWith(goodDocument)(w, r)
			}}
			d := newDocuments(t, s, now)
			for _, step := range []struct {
				at    time.Duration
				asked int32
			}{{0, 1}, {c.keep - time.Second, 1}, {c.keep, 2}} {
				mu.Store(int64(step.at / time.Second))
				if _, err := d.Get(t.Context(), docURL); err != nil {
					t.Fatal(err)
				}
				if got := s.asked.Load(); got != step.asked {
					t.Errorf("after %s it was asked %d times, want %d", step.at, got, step.asked)
				}
			}
		})
	}
}

func TestOnlyPublicAddressesAreReached(t *testing.T) {
	for address, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true,
		"127.0.0.1": false, "::1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false,
		"169.254.169.254": false, "fe80::1": false, "fd00:ec2::254": false, "0.0.0.0": false, "::": false,
		"100.64.0.1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "64:ff9b::7f00:1": false,
		"2002:7f00:1::": false, "224.0.0.1": false, "255.255.255.255": false, "198.18.0.1": false, "ff02::1": false,
	} {
		if got := isPublic(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}

// TestAnInnerServerIsNotAsked goes the whole way: the name is public, what it
// resolves to is not.
func TestAnInnerServerIsNotAsked(t *testing.T) {
	s := &site{answer: answerWith(goodDocument)}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.asked.Add(1); s.answer(w, r) }))
	defer server.Close()
	d := NewDocuments(Public(), rules, time.Now)
	for _, host := range []string{server.Listener.Addr().String(), "localhost:443", "127.0.0.1:443", "[::1]:443"} {
		_, err := d.Get(t.Context(), "https://"+host+"/client.json")
		bad, ok := errors.AsType[*BadDocument](err)
		if !ok || !strings.Contains(bad.Why, "public address") {
			t.Errorf("%s: %v", host, err)
		}
	}
	if n := s.asked.Load(); n != 0 {
		t.Errorf("it was asked %d times", n)
	}
}
