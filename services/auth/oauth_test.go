package auth

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

// TestAClientConnects goes the way of a client that nobody knew: it registers,
// its person signs in and approves, it gets tokens, and a host takes them.
func TestAClientConnects(t *testing.T) {
	w := newWorld(t)
	r := w.withOAuth(nil)
	b := newBrowser(t, r.HTTP)
	id := b.client()

	path := b.authorize(request(id))
	if b.head.Get("Cache-Control") != "no-store" || !strings.HasPrefix(path, "/authorize/") {
		t.Errorf("the browser is sent to %q, which may be kept: %q", path, b.head.Get("Cache-Control"))
	}
	b.do(http.MethodGet, path, nil)
	for _, says := range []string{"Agent asks to act for you", "unverified: it named itself", "runs on this computer", "127.0.0.1:33418"} {
		if !strings.Contains(b.body, says) {
			t.Errorf("the page does not say %q", says)
		}
	}
	b.signIn(path, goodToken)
	if !strings.Contains(b.body, "Ana Sá") || !strings.Contains(b.body, "on Acme") {
		t.Errorf("the page does not know the person:\n%s", b.body)
	}
	form := b.form(path)
	if got := form["area"]; len(got) != 1 || got[0] != "build" || form.Get("read_only") != "on" || form.Get("ask") != "destructivas" || form.Get("days") != "30" {
		t.Errorf("the form begins with %v", form)
	}
	answer := b.approve(path, nil)
	if answer.Get("state") != request(id).Get("state") || answer.Get("iss") != r.HTTP || answer.Get("code") == "" {
		t.Errorf("the client is answered %v", answer)
	}
	status, tokens := b.post("/token", exchange(id, answer.Get("code")))
	if status != http.StatusOK || tokens["token_type"] != "Bearer" || tokens["scope"] != "build:read" || tokens["expires_in"].(float64) < 8*3600-2 {
		t.Fatalf("the exchange answered %d %v", status, tokens)
	}
	if b.head.Get("Cache-Control") != "no-store" || b.head.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("the token answer's headers: %v", b.head)
	}

	who, err := w.client(r).Authenticate(t.Context(), bearer(tokens["access_token"]), "build", "192.0.2.7")
	if err != nil {
		t.Fatal(err)
	}
	if until := time.Until(who.Link.SessionUntil); until < 29*24*time.Hour || until > 30*24*time.Hour {
		t.Errorf("the session lasts %s", until)
	}
	want := &identity.Principal{
		Link:      identity.Link{ID: who.Link.ID, Scheme: identity.Bearer, Version: who.Link.Version, SessionUntil: who.Link.SessionUntil},
		Client:    identity.Client{ID: id, Name: "Agent"},
		Person:    identity.Person{ID: 7, Name: "Ana Sá", Email: "ana@example.com", SystemAdmin: true},
		Companies: []identity.Company{{ID: 1001, Name: "Acme", Authorization: "Token " + goodToken}},
		Scope:     identity.Scope{Areas: []string{"build"}, ReadOnly: true, Ask: identity.AskDestructive, Resources: map[string]identity.Resources{}},
	}
	if diff := cmp.Diff(want, who, cmp.Comparer(func(a, b identity.Secret) bool { return a == b })); diff != "" {
		t.Errorf("principal (-want +got):\n%s", diff)
	}

	refresh := url.Values{"grant_type": {"refresh_token"}, "client_id": {id}, "refresh_token": {tokens["refresh_token"].(string)}}
	status, next := b.post("/token", refresh)
	if status != http.StatusOK || next["refresh_token"] == tokens["refresh_token"] {
		t.Errorf("the refresh answered %d %v", status, next)
	}
	if _, err := w.client(r).Authenticate(t.Context(), bearer(tokens["access_token"]), "build", ""); err != nil {
		t.Errorf("the access token of before the refresh: %v", err)
	}
}

func TestAreasThatAreApprovedNeedNoSecondPage(t *testing.T) {
	w := newWorld(t)
	r := w.withOAuth(nil)
	b := newBrowser(t, r.HTTP)
	id := b.client()
	first := b.connect(id, nil)

	path := b.authorize(request(id))
	response := b.do(http.MethodGet, path, nil)
	if response.StatusCode != http.StatusSeeOther {
		t.Fatalf("a second page is shown: %d\n%s", response.StatusCode, b.body)
	}
	status, second := b.post("/token", exchange(id, b.answered(response.Header.Get("Location")).Get("code")))
	if status != http.StatusOK {
		t.Fatalf("the exchange answered %d %v", status, second)
	}
	one := principal(t, w.client(r), first)
	two := principal(t, w.client(r), second)
	if one.Link.ID != two.Link.ID {
		t.Error("the same person and client have two links")
	}

	more := request(id)
	more.Set("resource", docsMCP)
	path = b.authorize(more)
	b.do(http.MethodGet, path, nil)
	if !strings.Contains(b.body, "What it wants in addition") || strings.Contains(b.body, `name="only.application"`) {
		t.Errorf("the page does not tell what is new, or tells more:\n%s", b.body)
	}
	x := exchange(id, b.approve(path, nil).Get("code"))
	x.Set("resource", docsMCP)
	if status, third := b.post("/token", x); status != http.StatusOK || third["scope"] != "docs:read" {
		t.Errorf("the exchange answered %d %v", status, third)
	}
	if got := principal(t, w.client(r), first).Scope.Areas; !cmp.Equal(got, []string{"docs", "build"}) {
		t.Errorf("the link's areas are %v", got)
	}

	consent := request(id)
	consent.Set("prompt", "consent")
	if response := b.do(http.MethodGet, b.authorize(consent), nil); response.StatusCode != http.StatusOK {
		t.Errorf("prompt=consent shows no page: %d", response.StatusCode)
	}
	other := newBrowser(t, r.HTTP)
	if other.do(http.MethodGet, other.authorize(request(id)), nil).StatusCode != http.StatusOK || !strings.Contains(other.body, "Personal token") {
		t.Error("another browser need not sign in")
	}
	none := request(id)
	none.Set("prompt", "none")
	if got := b.answered(b.authorize(none)); got.Get("code") == "" {
		t.Errorf("prompt=none for what is approved: %v", got)
	}
	if got := other.answered(other.authorize(none)); got.Get("error") != "login_required" {
		t.Errorf("prompt=none without a person: %v", got)
	}
}

func principal(t *testing.T, client *identity.AuthClient, tokens map[string]any) *identity.Principal {
	t.Helper()
	who, err := client.Authenticate(t.Context(), bearer(tokens["access_token"]), "build", "")
	if err != nil {
		t.Fatal(err)
	}
	return who
}

func TestATokenIsForItsAreaOnly(t *testing.T) {
	w := newWorld(t)
	r := w.withOAuth(nil)
	b := newBrowser(t, r.HTTP)
	id := b.client()
	one := b.connect(id, func(f url.Values) { f["area"] = []string{"docs", "build"} })
	every := url.Values{"grant_type": {"refresh_token"}, "client_id": {id}, "refresh_token": {one["refresh_token"].(string)}}
	status, all := b.post("/token", every)
	if status != http.StatusOK || all["scope"] != "docs:read build:read" {
		t.Fatalf("a refresh without resource answered %d %v", status, all)
	}
	client := w.client(r)
	for _, c := range []struct {
		name, area string
		token      any
		ok         bool
	}{
		{"its own area", "build", one["access_token"], true},
		{"another approved area", "docs", one["access_token"], false},
		{"every approved area: one", "docs", all["access_token"], true},
		{"every approved area: another", "build", all["access_token"], true},
		{"an area that nobody approved", "storage", all["access_token"], false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := client.Authenticate(t.Context(), bearer(c.token), c.area, "")
			if c.ok && err != nil || !c.ok && !isRefused(err, identity.RefusedArea) {
				t.Errorf("the answer is %v", err)
			}
		})
	}
	foreign := url.Values{"grant_type": {"refresh_token"}, "client_id": {id}, "refresh_token": {all["refresh_token"].(string)}}
	for _, resource := range []string{"https://storage-mcp.example.com/mcp", "https://evil.example/"} {
		foreign.Set("resource", resource)
		if status, answer := b.post("/token", foreign); status != http.StatusBadRequest || answer["error"] != "invalid_target" {
			t.Errorf("a token for %s: %d %v", resource, status, answer)
		}
	}
	foreign.Set("resource", "HTTPS://Build-mcp.example.com:443/mcp/")
	if status, answer := b.post("/token", foreign); status != http.StatusOK {
		t.Errorf("after that the refresh token is spent: %d %v", status, answer)
	}
}

func TestARevokedSessionActsNoMore(t *testing.T) {
	w := newWorld(t)
	one, two := w.withOAuth(nil), w.start(nil) // two replicas
	b := newBrowser(t, one.HTTP)
	id := b.client()
	tokens := b.connect(id, nil)
	principal(t, w.client(two), tokens)
	status, _ := b.post("/revoke", url.Values{"client_id": {id}, "token": {tokens["refresh_token"].(string)}})
	if status != http.StatusOK {
		t.Fatalf("revoking answered %d", status)
	}
	for _, r := range []*replica{one, two} {
		eventually(t, time.Second, func() string {
			if _, err := w.client(r).Authenticate(t.Context(), bearer(tokens["access_token"]), "build", ""); !isRefused(err, identity.RefusedBearer) {
				return "the access token still works"
			}
			return ""
		})
	}
	if status, _ := b.post("/revoke", url.Values{"client_id": {id}, "token": {"unknown"}}); status != http.StatusOK {
		t.Errorf("an unknown token: %d", status)
	}
}
