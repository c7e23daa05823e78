package me

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/services/auth/internal/consent"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
	"github.com/comporta-mcp/comporta/services/auth/internal/signin"
)

// scopeView is the page on which a link's scope is changed.
type scopeView struct {
	Top
	consent.Fields
	Name, Href    string
	Verified      bool
	Action, Token string
	Fault         *page.Sentence
	Until         time.Time   // when the link ends now
	Add           signin.View // another company's token
}

// editable reports whether a link has a scope that can be changed: one whose approval
// is over needs a new one.
func (h *Handler) editable(l *link.Record) bool {
	return h.Consent != nil && l.Scope != nil && l.State != link.Revoked && h.Now().Before(l.Until)
}

// edited gives the link of the path where its scope can be changed. Where it gives
// nil, it has answered.
func (h *Handler) edited(w http.ResponseWriter, r *http.Request, v *visit) *link.Record {
	l := h.own(w, r, v)
	if l != nil && !h.editable(l) {
		h.none(w, r)
		return nil
	}
	return l
}

// companies are those that a link may act in after a change: its own, and those that
// the person proved in this session, whose fresher credential counts.
func companies(l *link.Record, s *signin.Session) []link.Company {
	all := slices.Clone(s.Companies)
	for _, c := range l.Companies {
		if !s.Has(c.ID) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b link.Company) int { return int(a.ID - b.ID) })
	return all
}

// EditScope answers GET /me/links/{id}/scope.
func (h *Handler) EditScope(w http.ResponseWriter, r *http.Request) {
	v := h.visit(w, r)
	if v == nil {
		return
	}
	if l := h.edited(w, r, v); l != nil {
		choice := consent.Of(l, l.Companies, h.Now())
		choice.Days = consent.Same
		h.showScope(w, r, v, l, choice, nil)
	}
}

func (h *Handler) showScope(w http.ResponseWriter, r *http.Request, v *visit, l *link.Record, choice consent.Choice, fault *page.Sentence) {
	view := scopeView{
		Top: h.top(w, r, v, "agents"), Name: l.ClientName, Verified: l.Verified, Href: h.Base + "/me/links/" + l.ID,
		Action: v.path, Token: v.token(v.path), Fault: fault, Until: l.Until,
		Add: h.SignIn.View(r, v.browser, v.path, page.Text("Add the company")),
		Fields: h.Consent.Fields(r.Context(), consent.Form{
			Choice: choice, Session: v.session, Companies: companies(l, v.session), Link: l,
			Left: l.Until.Sub(h.Now()), Find: consent.ReadFind(r.PostForm),
		}),
	}
	status := http.StatusOK
	if fault != nil {
		status = http.StatusUnprocessableEntity
	}
	h.pages().Show(w, r, status, "me-scope", view)
}

// SaveScope answers POST /me/links/{id}/scope. What takes away counts at once; what
// gives more waits until the person has proven again who they are.
func (h *Handler) SaveScope(w http.ResponseWriter, r *http.Request) {
	v := h.visit(w, r)
	if v == nil || !h.posted(w, r, v) {
		return
	}
	l := h.edited(w, r, v)
	if l == nil {
		return
	}
	choice := h.Consent.Read(r.PostForm, companies(l, v.session))
	switch r.PostForm.Get("decision") {
	case "save":
		h.saveScope(w, r, v, l, choice)
	case "add":
		h.addCompany(w, r, v, l, choice)
	default: // a search
		h.showScope(w, r, v, l, choice, nil)
	}
}

// addCompany proves one more company and shows the form again, as it was filled in.
func (h *Handler) addCompany(w http.ResponseWriter, r *http.Request, v *visit, l *link.Record, choice consent.Choice) {
	company, wrong, err := h.SignIn.Add(r)
	if err == nil {
		v.session, err = h.SignIn.Sessions.Get(r.Context(), h.SignIn.Cookies.Person(r))
	}
	if err != nil {
		h.pages().Down(w, r, err)
		return
	}
	if wrong == nil && !slices.Contains(choice.Companies, company) {
		choice.Companies = append(choice.Companies, company)
	}
	h.showScope(w, r, v, l, choice, wrong)
}

func (h *Handler) saveScope(w http.ResponseWriter, r *http.Request, v *visit, l *link.Record, choice consent.Choice) {
	if fault := choice.Fault(); fault != nil {
		h.showScope(w, r, v, l, choice, fault)
		return
	}
	to := h.target(l, choice)
	if len(to.wider(l, v.session)) > 0 {
		h.ask(w, r, v, l, to)
		return
	}
	same, err := h.narrow(r, v, l, to)
	switch {
	case errors.Is(err, errWider): // somebody narrowed it meanwhile
		h.ask(w, r, v, l, to)
	case errors.Is(err, errGone):
		http.Redirect(w, r, "/me/links/"+l.ID+"/scope", http.StatusSeeOther) // as it is now
	case err != nil:
		h.pages().Down(w, r, err)
	case same:
		h.to(w, r, v, "/me/links/"+l.ID, "same")
	default:
		h.to(w, r, v, "/me/links/"+l.ID, "narrow")
	}
}

// target is what a link is to become.
type target struct {
	Scope     *link.Scope `json:"scope"`
	Companies []int64     `json:"companies"`
	Until     time.Time   `json:"until"`
}

func (h *Handler) target(l *link.Record, choice consent.Choice) target {
	to := target{Scope: choice.Scope(), Companies: choice.Companies, Until: l.Until}
	if choice.Days != consent.Same {
		// Only an earlier end is offered: a later one needs a new approval.
		if until := h.Now().UTC().Add(choice.Life()).Truncate(time.Second); until.Before(l.Until) {
			to.Until = until
		}
	}
	return to
}

// of gives the target's companies with their credentials.
func (t target) of(l *link.Record, s *signin.Session) []link.Company {
	return slices.DeleteFunc(companies(l, s), func(c link.Company) bool { return !slices.Contains(t.Companies, c.ID) })
}

// wider says what the link gets in addition.
func (t target) wider(l *link.Record, s *signin.Session) []page.Sentence {
	return consent.Wider(l, t.Scope, t.of(l, s), t.Until)
}

// put makes the link what it is to become. It is errGone where none of the
// companies is left, since another tab took them away meanwhile.
func (t target) put(l *link.Record, s *signin.Session) error {
	left := t.of(l, s)
	if len(left) == 0 {
		return errGone
	}
	l.Companies = slices.Clip(left)
	l.CompanyID, l.CompanyName = l.Companies[0].ID, l.Companies[0].Name
	l.Scope = t.Scope
	l.EndAt(t.Until)
	return nil
}

// same reports whether nothing would change: neither gives more than the other.
func (t target) same(l *link.Record, s *signin.Session) bool {
	after := &link.Record{Scope: t.Scope, Companies: t.of(l, s), Until: t.Until}
	return l.Scope.Ask == t.Scope.Ask && len(t.wider(l, s)) == 0 &&
		len(consent.Wider(after, l.Scope, l.Companies, l.Until)) == 0
}

// errWider: the change gives more than the link has by now.
var errWider = errors.New("the change gives the link more than it has")

// narrow changes the link, judging the change against the link as it is then.
func (h *Handler) narrow(r *http.Request, v *visit, l *link.Record, to target) (same bool, err error) {
	ctx := context.WithoutCancel(r.Context()) // begun, it is done, whoever waits for the page
	_, err = h.Links.Change(ctx, l.ID, func(now *link.Record) error {
		same = false
		switch {
		case now.State == link.Revoked || now.Scope == nil:
			return link.ErrNone
		case len(to.wider(now, v.session)) > 0:
			return errWider
		case to.same(now, v.session):
			same = true
			return link.ErrUnchanged
		}
		return to.put(now, v.session)
	})
	if err != nil || same {
		return same, err
	}
	h.Log.InfoContext(ctx, "a person narrowed a link", "link", l.ID, "person", v.session.PersonID)
	if err := h.Ledger.Person(ctx, h.event(r, v, l, "link_narrowed")); err != nil {
		h.Log.ErrorContext(ctx, "what a person did with a link is not in the audit", "link", l.ID, "what", "link_narrowed", "error", err)
	}
	return false, nil
}
