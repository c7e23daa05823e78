package sandbox

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// fuzzed sends one request without a network; whatever comes must be answered as
// the platform would, never by a failure of the sandbox's own.
func fuzzed(t *testing.T, b *box, method, target, body string) {
	at, err := url.ParseRequestURI(BasePath + target)
	if err != nil {
		return // no server would get it
	}
	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	r.URL, r.RequestURI = at, BasePath+target
	r.Header.Set("Authorization", "Token "+Tokens()["admin"])
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	b.server.ServeHTTP(w, r)
	if w.Code >= http.StatusInternalServerError {
		t.Errorf("%s %s with %q: %d %s", method, target, body, w.Code, w.Body)
	}
}

func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		newGarden, `{"name":"g","outlet":{"type":"well","depth":1}}`, `{"name":"g","modules":{"heat":null}}`,
		`{"name":"g","outlet":{"type":7}}`, `{"name":"g","area":1e400}`, `[[]]`, `null`, `"x"`, `{"name":"\ud800"}`,
	} {
		f.Add(seed)
	}
	b := open(f, gardens())
	path := b.garden("g")
	f.Fuzz(func(t *testing.T, body string) {
		fuzzed(t, b, "POST", "/workspace/gardens", body)
		fuzzed(t, b, "PATCH", path, body)
		fuzzed(t, b, "PUT", path, body)
		fuzzed(t, b, "PUT", path+"/chores/order", body)
		fuzzed(t, b, "GET", "/workspace/gardens", "")
	})
}

func FuzzTarget(f *testing.F) {
	for _, seed := range []string{
		"/workspace/gardens?page=2&ordering=-name,id&fields=a..b", "/workspace/gardens/%2e%2e/beds", "/workspace/gardens?id=1,,2",
		"/workspace/crates/a%2Fb/things?prefix=%ff&continuation_token=AA", "//", "/workspace/gardens/1//", "/?%zz",
		"/workspace/gardens?area__gte=1/0&last_modified__gte=2026", "/workspace/varieties?name=%00",
	} {
		f.Add(seed)
	}
	b := open(f, gardens())
	b.garden("g")
	f.Fuzz(func(t *testing.T, target string) {
		for _, method := range []string{"GET", "DELETE", "POST"} {
			fuzzed(t, b, method, target, "{}")
		}
	})
}
