// Package me is what a person sees of their agents and does about them: the links,
// what each does now and did in the last 30 days, what waits for the person; pausing,
// revoking and the scope of a link; the audit of the own links. System administrators
// see all links there, and may revoke.
//
// Deciding about one call is package approve's, showing a secret package web's; how
// soon a change is everywhere is package link's.
package me

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"time"

	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/quota"
	"github.com/comporta-mcp/comporta/services/auth/internal/activity"
	"github.com/comporta-mcp/comporta/services/auth/internal/consent"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
	"github.com/comporta-mcp/comporta/services/auth/internal/secrets"
	"github.com/comporta-mcp/comporta/services/auth/internal/signin"
	"github.com/comporta-mcp/comporta/services/auth/internal/vault"
)

// Links finds and changes links; *link.Links does.
type Links interface {
	OfPerson(ctx context.Context, person int64) ([]*link.Record, error)
	Get(ctx context.Context, id string) (*link.Record, error)
	Change(ctx context.Context, id string, change func(*link.Record) error) (*link.Record, error)
	List(ctx context.Context, f link.Filter) (found []*link.Record, more bool, err error)
}

// Activity counts calls; *activity.Counter does.
type Activity interface {
	Of(ctx context.Context, person int64, links []string) (tallies map[string]activity.Tally, whole bool, err error)
}

// Records reads the audit; audit.Reader does.
type Records interface {
	Newest(ctx context.Context, s audit.Search) (*audit.Page, error)
	Forward(ctx context.Context, s audit.Stretch) iter.Seq2[audit.Found, error]
}

// Ledger makes a record of what a person did durable; *audit.Log does.
type Ledger interface {
	Person(ctx context.Context, e audit.PersonEvent) error
}

// Secrets lists what was kept for a person; *secrets.Secrets does.
type Secrets interface {
	List(ctx context.Context, person int64) ([]secrets.Kept, error)
}

// Limiter counts over all replicas; *quota.Limiter does.
type Limiter interface {
	Take(ctx context.Context, subject string, lim quota.Limit) (wait time.Duration, err error)
}

// Handler answers /me and below.
type Handler struct {
	Base     string   // path of the issuer
	Areas    []string // the names of all areas
	Connect  []Area   // where agents connect, for a person who has none yet
	Links    Links
	Running  *Running
	Tools    func(name string) (*catalog.Tool, bool)
	Secrets  Secrets
	Activity Activity
	Records  Records
	Ledger   Ledger
	Consent  *consent.Maker // nil: no OAuth, so no link has a scope
	Changes  bus.Records    // of the bucket "requests": changes that wait for a proof
	Signals  *Signals
	Tokens   signin.Tokens // says who is an administrator at the moment
	Vault    vault.Vault
	SignIn   *signin.Handler
	Limiter  Limiter
	Now      func() time.Time
	Log      *slog.Logger
}

// Area is an area's MCP address.
type Area struct{ Name, URL string }

// visit is one look by a person who is signed in.
type visit struct {
	path    string
	browser signin.Browser
	session *signin.Session
}

// Top is what every page begins with.
type Top struct {
	Tab    string // "agents", "calls", "all", "all-calls"
	Person string
	Email  string
	Admin  bool
	Out    signin.View
	Note   *page.Sentence
}

// pages is where auth's pages are made.
func (h *Handler) pages() *page.Pages { return h.SignIn.Pages }

// visit finds out who looks. Where it gives nil, it has answered, with the sign-in.
func (h *Handler) visit(w http.ResponseWriter, r *http.Request) *visit {
	v := &visit{path: r.URL.Path, browser: h.SignIn.Cookies.Browser(w, r)}
	var err error
	v.session, err = h.SignIn.Sessions.Get(r.Context(), h.SignIn.Cookies.Person(r))
	switch {
	case errors.Is(err, signin.ErrNone) && r.Method != http.MethodGet:
		h.tooOld(w, r)
	case errors.Is(err, signin.ErrNone):
		form := h.SignIn.View(r, v.browser, v.path, page.Text("Sign in"))
		h.pages().Show(w, r, http.StatusOK, "me-sign-in", form)
	case err != nil:
		h.pages().Down(w, r, err)
	default:
		return v
	}
	return nil
}

// top makes the beginning of a page.
func (h *Handler) top(w http.ResponseWriter, r *http.Request, v *visit, tab string) Top {
	return Top{
		Tab: tab, Person: cmp.Or(v.session.Name, v.session.Email), Email: v.session.Email, Admin: h.isAdmin(r.Context(), v.session),
		Out: h.SignIn.View(r, v.browser, v.path, page.Text("Sign in")), Note: h.note(w, r, v),
	}
}

// maxForm bounds what a person posts, in bytes: the scope's editor is the largest.
const maxForm = 1 << 20

// token is what a form that goes to path must bring back.
func (v *visit) token(path string) string { return v.browser.Form("me", path, v.session.Key()) }

// posted judges a form. Where it gives false, it has answered.
func (h *Handler) posted(w http.ResponseWriter, r *http.Request, v *visit) bool {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil || !h.SignIn.Cookies.Known(r).Fits(r.PostForm.Get("form"), "me", v.path, v.session.Key()) {
		h.tooOld(w, r)
		return false
	}
	return true
}

func (h *Handler) tooOld(w http.ResponseWriter, r *http.Request) {
	h.pages().Fail(w, r, http.StatusForbidden, page.Problem{
		Title: page.Text("This form is too old"),
		Text:  page.Text("It does not belong to this browser, or you signed in or out since it was shown. Nothing was changed."),
		ToDo:  page.Text("Go to your agents and try again."),
	})
}

// none answers where there is no such link of the person's.
func (h *Handler) none(w http.ResponseWriter, r *http.Request) {
	h.pages().Fail(w, r, http.StatusNotFound, page.Problem{
		Title: page.Text("There is no such agent of yours"),
		Text:  page.Text("It is another person's, or its address is not complete."),
		ToDo:  page.Text("Go to your agents and choose one there."),
	})
}

// own gives the link of the path, which must be the person's. Where it gives nil,
// it has answered.
func (h *Handler) own(w http.ResponseWriter, r *http.Request, v *visit) *link.Record {
	l, err := h.Links.Get(r.Context(), r.PathValue("id"))
	switch {
	case errors.Is(err, link.ErrNone) || err == nil && l.PersonID != v.session.PersonID:
		h.none(w, r)
	case err != nil:
		h.pages().Down(w, r, err)
	default:
		return l
	}
	return nil
}
