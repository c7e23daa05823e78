// Package web serves auth's public HTTP side. For now that is a front page and
// an honest answer to clients that look for OAuth; the pages of OAuth, of
// approval and /me get packages of their own beside this one and a line each in
// the mount list.
package web

import (
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"strings"
)

// Site is what the pages need to know.
type Site struct {
	Version string
	Tokens  bool // personal tokens are accepted
}

//go:embed front.html
var frontHTML string

var front = template.Must(template.New("front").Parse(frontHTML))

// Handler serves the site. This is the one list of its routes.
func Handler(s Site) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.front)
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", s.noMetadata)
	mux.HandleFunc("GET /.well-known/openid-configuration", s.noMetadata) // clients try it next
	mux.HandleFunc("/", notFound)
	return guarded(mux)
}

func (s Site) front(w http.ResponseWriter, _ *http.Request) {
	var page strings.Builder
	if err := front.Execute(&page, s); err != nil {
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(page.String()))
}

// noMetadata says that there is no OAuth here. Metadata without the endpoints
// behind it would send clients in circles.
func (s Site) noMetadata(w http.ResponseWriter, _ *http.Request) {
	text := "This deployment does not offer sign-in with OAuth yet."
	if s.Tokens {
		text += " Use a personal token instead: send it in the header \"Authorization: Token <your personal token>\"."
	}
	writeError(w, http.StatusNotFound, "oauth_not_offered", text)
}

func notFound(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		writeError(w, http.StatusMethodNotAllowed, "method_not_allowed", "Nothing here takes this method.")
		return
	}
	writeError(w, http.StatusNotFound, "not_found", "There is no such page. The front page is at /.")
}

// writeError answers in the form of OAuth's errors, which these clients read.
func writeError(w http.ResponseWriter, status int, code, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": code, "error_description": text})
}

// guarded sets the headers that every answer carries: nothing is framed, kept
// or loaded from elsewhere.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		if strings.HasPrefix(r.URL.Path, "/.well-known/") {
			h.Set("Access-Control-Allow-Origin", "*") // clients in browsers read it too
		}
		next.ServeHTTP(w, r)
	})
}
