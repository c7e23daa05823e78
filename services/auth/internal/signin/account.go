package signin

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/oidc"
	"github.com/comporta-mcp/comporta/services/auth/internal/token"
)

// Accounts sends people to the platform's issuer and says who came back;
// *oidc.Issuer does.
type Accounts interface {
	Begin(ctx context.Context, browser, next string, fresh bool) (string, error)
	Finish(ctx context.Context, browser string, params url.Values) (oidc.Who, string, error)
}

// Links finds what a person gave agents before; *link.Links does.
type Links interface {
	OfPerson(ctx context.Context, person int64) ([]*link.Record, error)
}

// Where the issuer's sign-in begins and ends, below the issuer's own path.
const (
	AccountPath  = "/sign-in/account"
	CallbackPath = "/sign-in/callback"
)

// account is where the sign-in part of a page leads for the platform's account;
// "" where there is none, or the person is signed in and only adds a company.
func (h *Handler) account(r *http.Request, next string) string {
	if h.Accounts == nil {
		return ""
	}
	if _, err := h.Sessions.Get(r.Context(), h.Cookies.Person(r)); err == nil {
		return ""
	}
	return h.accountAt(next)
}

func (h *Handler) accountAt(next string) string {
	return h.Base + AccountPath + "?" + url.Values{"next": {next}}.Encode()
}

// Again makes the sign-in part of a page ask for a proof of now.
func (h *Handler) Again(v View) View {
	v.Fresh = true
	if h.Accounts != nil {
		v.Account = h.accountAt(v.Next) + "&fresh=1"
	}
	return v
}

// Leave answers GET AccountPath: the browser goes to the issuer. It changes
// nothing here, so any page may lead to it.
func (h *Handler) Leave(w http.ResponseWriter, r *http.Request) {
	next := r.URL.Query().Get("next")
	if h.Accounts == nil || !h.ours(next) {
		http.NotFound(w, r)
		return
	}
	if wait, err := h.Limiter.Take(r.Context(), h.Address(r), h.PerAddr); err != nil || wait > 0 {
		h.back(w, r, next, "many")
		return
	}
	there, err := h.Accounts.Begin(r.Context(), h.Cookies.Browser(w, r).ID(), next, r.URL.Query().Get("fresh") != "")
	if err != nil {
		h.Log.WarnContext(r.Context(), "the OIDC issuer cannot be asked", "error", err)
		h.back(w, r, next, "issuer")
		return
	}
	http.Redirect(w, r, there, http.StatusSeeOther)
}

// Return answers GET CallbackPath: somebody comes back from the issuer.
func (h *Handler) Return(w http.ResponseWriter, r *http.Request) {
	if h.Accounts == nil {
		http.NotFound(w, r)
		return
	}
	who, next, err := h.Accounts.Finish(r.Context(), h.Cookies.Known(r).ID(), r.URL.Query())
	if next == "" || !h.ours(next) {
		h.stale(w, r)
		return
	}
	if err == nil {
		err = h.welcome(w, r, who)
	}
	switch {
	case errors.Is(err, oidc.ErrRefused):
		h.Log.InfoContext(r.Context(), "a sign-in with an account failed", "error", err)
		h.back(w, r, next, "account")
	case errors.Is(err, oidc.ErrSilent):
		h.Log.ErrorContext(r.Context(), "the OIDC issuer must send the claim auth_time where it is asked with max_age", "error", err)
		h.back(w, r, next, "silent")
	case err != nil:
		h.Log.WarnContext(r.Context(), "a sign-in with an account could not be ended", "error", err)
		h.back(w, r, next, "issuer")
	default:
		h.back(w, r, next, "")
	}
}

// welcome signs a person in whom the issuer proved. What they entrusted to us
// before counts as proven with that: it is theirs.
func (h *Handler) welcome(w http.ResponseWriter, r *http.Request, who oidc.Who) error {
	session := h.Sessions.fresh(who.ID, who.Name, who.Email)
	session.At = who.At // the issuer may have known them for hours
	links, err := h.Links.OfPerson(r.Context(), who.ID)
	if err != nil {
		return err
	}
	for _, l := range links {
		if l.State == link.Revoked || link.Implicit(l.ID) {
			continue
		}
		for _, company := range l.Companies {
			if err := h.entrusted(r.Context(), session, company); err != nil {
				return err
			}
		}
	}
	cookie, err := h.Sessions.open(r.Context(), session)
	if err != nil {
		return err
	}
	h.Cookies.SetPerson(w, cookie, int(h.Sessions.Life/time.Second))
	return nil
}

// entrusted takes over a credential that the platform still accepts. One that cannot
// be opened is none, or a lost key would keep its person out: they are asked for the
// company's token again.
func (h *Handler) entrusted(ctx context.Context, session *Session, company link.Company) error {
	if slices.ContainsFunc(session.Companies, func(c link.Company) bool { return c.ID == company.ID }) {
		return nil
	}
	secret, err := h.Sessions.Vault.Open(ctx, session.PersonID, company.ID, company.Sealed)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		h.Log.ErrorContext(ctx, "a credential that a person entrusted cannot be opened; they must give it again",
			"person", session.PersonID, "company", company.ID, "error", err)
		return nil
	}
	owner, err := h.Tokens.Prove(ctx, identity.Secret(secret))
	if errors.Is(err, token.ErrRefused) {
		return nil
	}
	if err != nil {
		return err
	}
	if owner.Person.ID != session.PersonID || owner.Person.CompanyID != company.ID {
		return nil
	}
	return h.Sessions.put(session, owner.Person, secret)
}
