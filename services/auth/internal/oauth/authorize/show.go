package authorize

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/services/auth/internal/consent"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/client"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/fault"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
	"github.com/comporta-mcp/comporta/services/auth/internal/signin"
)

// visit is one look at a request by the person in front of the browser.
type visit struct {
	request  *Request
	revision uint64
	client   *client.Client
	session  *signin.Session // nil: not signed in (for this request)
	link     *link.Record    // nil: this client was never approved
	browser  signin.Browser
}

// visit finds out who looks at what. Where it gives nil, it has answered.
func (h *Handler) visit(w http.ResponseWriter, r *http.Request) *visit {
	v := &visit{browser: h.Cookies.Known(r)}
	var err error
	v.request, v.revision, err = h.Requests.get(r.Context(), r.PathValue("id"))
	if err == nil && v.request.Browser != v.browser.ID() {
		err = errGone // begun in another browser: nobody's business here
	}
	if err == nil {
		v.client, err = h.Clients.Get(r.Context(), v.request.ClientID)
	}
	if err == nil {
		err = h.person(r, v)
	}
	if err == nil {
		return v
	}
	if errors.Is(err, errGone) || errors.Is(err, client.ErrNone) {
		h.Pages.Fail(w, r, http.StatusNotFound, page.Problem{
			Title: page.Text("This request is over"),
			Text:  page.Text("It was answered, it is older than 10 minutes, or it was begun in another browser."),
			ToDo:  page.Text("Start again in your agent's client."),
		})
		return nil
	}
	h.Pages.Down(w, r, err)
	return nil
}

// person finds who is signed in and what they already approved for the client.
func (h *Handler) person(r *http.Request, v *visit) error {
	session, err := h.Sessions.Get(r.Context(), h.Cookies.Person(r))
	if errors.Is(err, signin.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	if v.request.Login && session.At.Before(v.request.At) {
		return nil // prompt=login
	}
	v.session = session
	v.link, err = h.Links.Of(r.Context(), session.PersonID, v.request.ClientID)
	if errors.Is(err, link.ErrNone) {
		return nil
	}
	return err
}

// settled reports whether the person approved all this before: then no second
// page is needed (contract §4). They must have proven, now, every company that
// the link acts in: a new session must open no more than its person can.
func (v *visit) settled(now time.Time) bool {
	l := v.link
	if v.session == nil || l == nil || l.Scope == nil || v.request.Consent || l.State != link.Active || !now.Before(l.Until) {
		return false
	}
	for _, company := range l.Companies {
		if !v.session.Has(company.ID) {
			return false
		}
	}
	return !slices.ContainsFunc(v.request.Areas, func(area string) bool { return !l.HasArea(area) })
}

// Show answers GET /authorize/{id}.
func (h *Handler) Show(w http.ResponseWriter, r *http.Request) {
	v := h.visit(w, r)
	switch {
	case v == nil:
	case v.session == nil:
		h.Pages.Show(w, r, http.StatusOK, "authorize", h.signInView(r, v))
	case v.settled(h.Now()):
		h.goOn(w, r, v)
	default:
		h.showForm(w, r, v, h.choice(v), finding{full: r.URL.Query().Get("all") == "1"})
	}
}

// choice is what the form begins with.
func (h *Handler) choice(v *visit) consent.Choice {
	if v.link == nil || v.link.Scope == nil {
		return consent.First(v.request.Areas, v.session)
	}
	choice := consent.Of(v.link, v.session.Companies, h.Now())
	choice.Add(v.request.Areas)
	return choice
}

// goOn opens one more session of what was approved before.
func (h *Handler) goOn(w http.ResponseWriter, r *http.Request, v *visit) {
	if !h.spend(w, r, v) {
		return
	}
	h.giveCode(w, r, v, v.link)
}

// silently answers prompt=none: with a code where no page is needed, or with why
// there must be one.
func (h *Handler) silently(w http.ResponseWriter, r *http.Request, request *Request) {
	v := &visit{request: request, browser: h.Cookies.Known(r)}
	stored, revision, err := h.Requests.get(r.Context(), request.ID)
	if err == nil {
		v.request, v.revision = stored, revision
		err = h.person(r, v)
	}
	switch {
	case err != nil:
		h.answerFault(w, r, request, fault.Down(err))
	case v.session == nil:
		h.answerFault(w, r, request, fault.New(fault.LoginRequired, "Nobody is signed in."))
	case !v.settled(h.Now()):
		h.answerFault(w, r, request, fault.New(fault.ConsentRequired, "The person must approve this first."))
	default:
		h.goOn(w, r, v)
	}
}
