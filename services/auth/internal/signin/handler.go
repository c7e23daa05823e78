package signin

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/quota"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
	"github.com/comporta-mcp/comporta/services/auth/internal/token"
)

// Tokens says who a personal token belongs to; *token.Checker does.
type Tokens interface {
	Prove(ctx context.Context, t identity.Secret) (*token.Owner, error)
}

// Limiter counts over all replicas; *quota.Limiter does.
type Limiter interface {
	Take(ctx context.Context, subject string, lim quota.Limit) (wait time.Duration, err error)
}

// Handler answers /sign-in and /sign-out.
type Handler struct {
	Base     string // path of the issuer
	Sessions *Sessions
	Tokens   Tokens
	Cookies  Cookies
	Pages    *page.Pages
	Limiter  Limiter
	PerAddr  quota.Limit
	Address  func(*http.Request) string
	Log      *slog.Logger
	Accounts Accounts // nil: no issuer is configured
	Links    Links    // needed with Accounts
}

// View is the sign-in part of a page.
type View struct {
	Form, Next string
	Button     page.Sentence
	Fresh      bool // who is signed in must prove it anew
	Wrong      bool
	Problem    page.Sentence
	Account    string // where the platform's account signs in; "" where it does not
}

// problems are why a sign-in did not work, by the word that leads back to the page.
func problemOf(word string) (page.Sentence, bool) {
	switch word {
	case "refused":
		return page.Text("The platform does not accept this token. Check that you copied all of it and that it has not expired."), true
	case "other":
		return page.Text("This token belongs to another person. Sign out first, or use one of your own."), true
	case "many":
		return page.Text("Too many tries. Wait a minute, then try again."), true
	case "account":
		return page.Text("The sign-in with your account did not end well. Try again, or use a personal token."), true
	case "issuer":
		return page.Text("Your account cannot be asked right now. Try again in a moment, or use a personal token."), true
	case "silent":
		return page.Text("Your account's issuer does not say when you signed in, so that is no proof of now. Use a personal token, and tell whoever operates this: the issuer must send auth_time."), true
	case "down":
		return page.Text("The platform cannot be asked right now. Try again in a moment."), true
	}
	return page.Sentence{}, false
}

// View is the sign-in part of a page that the person comes back to at next.
func (h *Handler) View(r *http.Request, b Browser, next string, button page.Sentence) View {
	problem, wrong := problemOf(r.URL.Query().Get("sign-in"))
	return View{Form: b.Form("sign-in", next), Next: next, Button: button, Wrong: wrong, Problem: problem, Account: h.account(r, next)}
}

// maxForm bounds the form, in bytes.
const maxForm = 8 << 10

// SignIn answers POST /sign-in: a token signs its person in, or adds a company
// for who is signed in.
func (h *Handler) SignIn(w http.ResponseWriter, r *http.Request) {
	next, ok := h.posted(w, r)
	if !ok {
		return
	}
	owner, secret, wrong := h.proven(r)
	if wrong != "" {
		h.back(w, r, next, wrong)
		return
	}
	h.take(w, r, next, owner, secret)
}

// proven is who the token of a form belongs to, or the word for why nobody.
func (h *Handler) proven(r *http.Request) (owner *token.Owner, secret identity.Secret, wrong string) {
	if wait, err := h.Limiter.Take(r.Context(), h.Address(r), h.PerAddr); err != nil || wait > 0 {
		return nil, "", "many"
	}
	secret = identity.Secret(strings.TrimSpace(r.PostForm.Get("token")))
	owner, err := h.Tokens.Prove(r.Context(), secret)
	switch {
	case errors.Is(err, token.ErrRefused):
		return nil, "", "refused"
	case err != nil:
		h.Log.WarnContext(r.Context(), "a token could not be checked", "error", err)
		return nil, "", "down"
	}
	return owner, secret, ""
}

// Add proves one more company for who is signed in, with the token of another
// page's form, which the caller has judged. wrong says why not, nil where it did.
func (h *Handler) Add(r *http.Request) (company int64, wrong *page.Sentence, err error) {
	owner, secret, word := h.proven(r)
	if word == "" {
		err = h.Sessions.Add(r.Context(), h.Cookies.Person(r), owner.Person, secret)
		if errors.Is(err, ErrOther) {
			word, err = "other", nil
		}
	}
	if err != nil {
		return 0, nil, err
	}
	if says, bad := problemOf(word); bad {
		return 0, &says, nil
	}
	return owner.Person.CompanyID, nil, nil
}

// take puts a good token into the session, or begins one with it.
func (h *Handler) take(w http.ResponseWriter, r *http.Request, next string, owner *token.Owner, secret identity.Secret) {
	err := ErrNone
	if r.PostForm.Get("fresh") == "" {
		err = h.Sessions.Add(r.Context(), h.Cookies.Person(r), owner.Person, secret)
	}
	if errors.Is(err, ErrNone) {
		var cookie identity.Secret
		if cookie, err = h.Sessions.Start(r.Context(), owner.Person, secret); err == nil {
			h.Cookies.SetPerson(w, cookie, int(h.Sessions.Life/time.Second))
		}
	}
	switch {
	case errors.Is(err, ErrOther):
		h.back(w, r, next, "other")
	case err != nil:
		h.Pages.Down(w, r, err)
	default:
		h.back(w, r, next, "")
	}
}

// SignOut answers POST /sign-out.
func (h *Handler) SignOut(w http.ResponseWriter, r *http.Request) {
	next, ok := h.posted(w, r)
	if !ok {
		return
	}
	if err := h.Sessions.End(r.Context(), h.Cookies.Person(r)); err != nil {
		h.Pages.Down(w, r, err)
		return
	}
	h.Cookies.SetPerson(w, "", 0)
	h.back(w, r, next, "")
}

// posted judges a form: of this browser, and back to a page of ours.
func (h *Handler) posted(w http.ResponseWriter, r *http.Request) (next string, ok bool) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err := r.ParseForm()
	next = r.PostForm.Get("next")
	if err != nil || !h.ours(next) || !h.Cookies.Known(r).Fits(r.PostForm.Get("form"), "sign-in", next) {
		h.stale(w, r)
		return "", false
	}
	return next, true
}

func (h *Handler) stale(w http.ResponseWriter, r *http.Request) {
	h.Pages.Fail(w, r, http.StatusForbidden, page.Problem{
		Title: page.Text("This form is too old"),
		Text:  page.Text("It does not belong to this browser, or your browser keeps no cookies."),
		ToDo:  page.Text("Allow cookies for this site, then start again in your agent's client."),
	})
}

// ours reports whether a path is one of our pages, and no address elsewhere.
func (h *Handler) ours(next string) bool {
	page := next == h.Base+"/me" || slices.ContainsFunc([]string{"/authorize/", "/approve/", "/secrets/", "/me/"}, func(place string) bool {
		return strings.HasPrefix(next, h.Base+place)
	})
	return page && !strings.ContainsAny(next, "\\\r\n?#")
}

// back leads to the page that the form stood on.
func (h *Handler) back(w http.ResponseWriter, r *http.Request, next, problem string) {
	if problem != "" {
		next += "?" + url.Values{"sign-in": {problem}}.Encode()
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}
