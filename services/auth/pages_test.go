package auth

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestThePublicPages(t *testing.T) {
	w := newWorld(t)
	with := w.start(nil)
	without := w.start(func(c *Config) { c.Tokens.Accept = false })
	tests := []struct {
		name         string
		base         string
		method, path string
		status       int
		kind         string
		says, not    string
	}{
		{"the front page says what this is", with.HTTP, "GET", "/", 200, "text/html; charset=utf-8", "Authorization: Token", "cannot use personal tokens"},
		{"the front page says when there are no personal tokens", without.HTTP, "GET", "/", 200, "text/html; charset=utf-8", "cannot use personal tokens", "Authorization: Token"},
		{"OAuth metadata is not invented", with.HTTP, "GET", "/.well-known/oauth-authorization-server", 404, "application/json", "personal token", "issuer"},
		{"nor is a personal token offered where there is none", without.HTTP, "GET", "/.well-known/oauth-authorization-server", 404, "application/json", "does not offer", "personal token"},
		{"there is no other page", with.HTTP, "GET", "/you", 404, "application/json", "front page", ""},
		{"nothing is posted", with.HTTP, "POST", "/", 405, "application/json", "method", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), test.method, test.base+test.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			response, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != test.status || response.Header.Get("Content-Type") != test.kind {
				t.Errorf("answered %d %q, want %d %q", response.StatusCode, response.Header.Get("Content-Type"), test.status, test.kind)
			}
			if !strings.Contains(string(body), test.says) {
				t.Errorf("the answer does not say %q:\n%s", test.says, body)
			}
			if test.not != "" && strings.Contains(string(body), test.not) {
				t.Errorf("the answer says %q:\n%s", test.not, body)
			}
			if test.kind == "application/json" && !json.Valid(body) {
				t.Errorf("the answer is no JSON:\n%s", body)
			}
			if response.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Error("the answer may be sniffed")
			}
		})
	}
}
