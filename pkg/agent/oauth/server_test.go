package oauth

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// platform is an MCP server's gate and its authorization server in one: the least
// that the flow needs. What it gives is good until revoked.
type platform struct {
	*httptest.Server

	mu        sync.Mutex
	clients   map[string]bool
	refresh   map[string]bool // still good
	access    map[string]bool // still good
	made      int
	shown     int // pages
	exchanged int // codes and refresh tokens
	refuses   bool
	expires   int // seconds
}

func newPlatform(t *testing.T) *platform {
	t.Helper()
	p := &platform{clients: map[string]bool{}, refresh: map[string]bool{}, access: map[string]bool{}, expires: 3600}
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", p.serve)
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, map[string]any{"resource": p.URL + "/mcp", "authorization_servers": []string{p.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
			"registration_endpoint": p.URL + "/register", "response_types_supported": []string{"code"},
			"code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
		})
	})
	mux.HandleFunc("/register", p.register)
	mux.HandleFunc("/authorize", p.authorize)
	mux.HandleFunc("/token", p.token)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (p *platform) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if token := r.Header.Get("Authorization"); len(token) < 8 || !p.access[token[7:]] {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+p.URL+`/.well-known/oauth-protected-resource/mcp", scope="build:read"`)
		answer(w, 401, nil)
		return
	}
	answer(w, 200, "in")
}

func (p *platform) register(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var asked map[string]any
	_ = json.NewDecoder(r.Body).Decode(&asked)
	p.made++
	id := fmt.Sprintf("client-%d", p.made)
	p.clients[id] = true
	asked["client_id"] = id
	answer(w, 201, asked)
}

func (p *platform) authorize(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := r.URL.Query()
	if !p.clients[q.Get("client_id")] {
		http.Error(w, "unknown client", 400)
		return
	}
	p.shown++
	back := url.Values{"state": {q.Get("state")}, "code": {"code"}}
	if p.refuses {
		back = url.Values{"state": {q.Get("state")}, "error": {"access_denied"}, "error_description": {"not today"}}
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (p *platform) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.FormValue("grant_type") == "refresh_token" {
		if !p.refresh[r.FormValue("refresh_token")] {
			answer(w, 400, map[string]string{"error": "invalid_grant"})
			return
		}
		delete(p.refresh, r.FormValue("refresh_token"))
	}
	p.exchanged++
	access, refresh := fmt.Sprintf("access-%d", p.exchanged), fmt.Sprintf("refresh-%d", p.exchanged)
	p.access[access], p.refresh[refresh] = true, true
	answer(w, 200, map[string]any{"access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": p.expires, "scope": "build:read"})
}

// do changes the platform.
func (p *platform) do(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}
