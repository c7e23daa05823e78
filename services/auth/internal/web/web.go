// Package web is the one list of auth's public routes, with what holds for all
// of them: the headers, who may read from other sites, and what a path that does
// not exist is answered with.
package web

import (
	"net/http"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/approval"
	"github.com/comporta-mcp/comporta/services/auth/internal/approve"
	"github.com/comporta-mcp/comporta/services/auth/internal/me"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/authorize"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/fault"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/metadata"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
	"github.com/comporta-mcp/comporta/services/auth/internal/signin"
)

// Site is what is served.
type Site struct {
	Base   string // path of the issuer, without a slash at its end
	Pages  *page.Pages
	Tokens bool     // agents may use personal tokens
	Areas  []string // the areas' MCP addresses, for the front page
	OAuth  *OAuth   // nil: there is none
	SignIn *signin.Handler
	Secret *SecretPage
	Me     *me.Handler
}

// OAuth are the authorization server's endpoints.
type OAuth struct {
	Metadata  http.Handler
	Register  http.Handler
	Token     http.Handler
	Revoke    http.Handler
	Authorize *authorize.Handler
	Approve   *approve.Handler
}

const (
	wellKnownOAuth = "/.well-known/oauth-authorization-server"
	wellKnownOIDC  = "/.well-known/openid-configuration"
)

// Handler serves the site.
func Handler(s Site) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+s.Base+"/{$}", s.front)
	mux.Handle("GET "+s.Base+"/static/", s.Pages.Static())
	mux.HandleFunc("GET /favicon.ico", s.Pages.Icon)
	mux.HandleFunc("GET "+s.Base+"/secrets/{id}", s.Secret.get)
	mux.Handle("POST "+s.Base+"/secrets/{id}", own(http.HandlerFunc(s.Secret.post)))
	mux.Handle("POST "+s.Base+"/sign-in", own(http.HandlerFunc(s.SignIn.SignIn)))
	mux.Handle("POST "+s.Base+"/sign-out", own(http.HandlerFunc(s.SignIn.SignOut)))
	mux.HandleFunc("GET "+s.Base+signin.AccountPath, s.SignIn.Leave)
	mux.HandleFunc("GET "+s.Base+signin.CallbackPath, s.SignIn.Return)
	mux.HandleFunc("/", notFound)
	s.me(mux)
	s.metadata(mux)
	if o := s.OAuth; o != nil {
		open(mux, "POST", s.Base+metadata.Register, o.Register)
		open(mux, "POST", s.Base+metadata.Token, o.Token)
		open(mux, "POST", s.Base+metadata.Revoke, o.Revoke)
		mux.HandleFunc("GET "+s.Base+metadata.Authorize, o.Authorize.Begin)
		mux.HandleFunc("GET "+s.Base+metadata.Authorize+"/{id}", o.Authorize.Show)
		mux.Handle("POST "+s.Base+metadata.Authorize+"/{id}", own(http.HandlerFunc(o.Authorize.Decide)))
		one := s.Base + approval.Path("{link}", "{operation}")
		mux.HandleFunc("GET "+one, o.Approve.Show)
		mux.Handle("POST "+one, own(http.HandlerFunc(o.Approve.Decide)))
	}
	return guarded(mux)
}

// me mounts the pages of a person's agents.
func (s Site) me(mux *http.ServeMux) {
	base := s.Base + "/me"
	for pattern, show := range map[string]http.HandlerFunc{
		base: s.Me.Home, base + "/live": s.Me.Live,
		base + "/links/{id}": s.Me.Link, base + "/links/{id}/scope": s.Me.EditScope, base + "/links/{id}/scope/{change}": s.Me.Widen,
		base + "/calls": s.Me.Calls, base + "/calls.csv": s.Me.Export, base + "/calls.jsonl": s.Me.Export,
		base + "/all": s.Me.All, base + "/all/calls": s.Me.AllCalls,
		base + "/all/calls.csv": s.Me.ExportAll, base + "/all/calls.jsonl": s.Me.ExportAll,
	} {
		mux.HandleFunc("GET "+pattern, show)
	}
	for pattern, do := range map[string]http.HandlerFunc{
		base + "/stop": s.Me.Stop, base + "/links/{id}": s.Me.Act, base + "/all/{id}": s.Me.RevokeAny,
		base + "/links/{id}/scope": s.Me.SaveScope, base + "/links/{id}/scope/{change}": s.Me.SaveWider,
	} {
		mux.Handle("POST "+pattern, own(do))
	}
}

// metadata mounts the document where clients of all rules look for it: behind
// the well-known part with the issuer's path and without it, and OpenID's way.
func (s Site) metadata(mux *http.ServeMux) {
	var document http.Handler = http.HandlerFunc(s.noMetadata)
	if s.OAuth != nil {
		document = s.OAuth.Metadata
	}
	places := map[string]bool{
		wellKnownOAuth: true, wellKnownOAuth + s.Base: true,
		wellKnownOIDC: true, wellKnownOIDC + s.Base: true, s.Base + wellKnownOIDC: true,
	}
	for place := range places {
		open(mux, "GET", place, document)
	}
}

// open mounts what clients in browsers may call from any site: it goes by no cookie.
func open(mux *http.ServeMux, method, path string, h http.Handler) {
	mux.HandleFunc("OPTIONS "+path, func(w http.ResponseWriter, _ *http.Request) {
		header := w.Header()
		header.Set("Access-Control-Allow-Origin", "*")
		header.Set("Access-Control-Allow-Methods", method+", OPTIONS")
		header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, MCP-Protocol-Version")
		header.Set("Access-Control-Max-Age", "3600")
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc(method+" "+path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		h.ServeHTTP(w, r)
	})
}

// own lets forms of our own pages through and no other site's.
func own(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "This form came from another site. Nothing was done.", http.StatusForbidden)
	}))
	return protection.Handler(next)
}

func (s Site) front(w http.ResponseWriter, r *http.Request) {
	s.Pages.Show(w, r, http.StatusOK, "front", struct {
		OAuth, Tokens bool
		Areas         []string
	}{s.OAuth != nil, s.Tokens, s.Areas})
}

// noMetadata says that there is no OAuth here. Metadata without the endpoints
// behind it would send clients in circles.
func (s Site) noMetadata(w http.ResponseWriter, _ *http.Request) {
	text := "This deployment does not offer sign-in with OAuth."
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
	fault.WriteJSON(w, status, map[string]string{"error": code, "error_description": text})
}

// guarded sets the headers that every answer carries: nothing is framed, kept
// or sniffed, and no address of ours is told to others. Pages set a wider policy.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY") // for browsers that know no frame-ancestors
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		if strings.HasPrefix(r.URL.Path, "/.well-known/") {
			h.Set("Access-Control-Allow-Origin", "*") // clients in browsers read that it is missing, too
		}
		next.ServeHTTP(w, r)
	})
}
