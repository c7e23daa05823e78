package authorize

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/services/auth/internal/consent"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/fault"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/grant"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
)

// maxForm bounds the form, in bytes: 500 resources of each kind, with names.
const maxForm = 1 << 20

// Decide answers POST /authorize/{id}: the form, for one of its buttons. Only an
// explicit approval approves.
func (h *Handler) Decide(w http.ResponseWriter, r *http.Request) {
	v := h.visit(w, r)
	if v == nil {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil || v.session == nil || !v.browser.Fits(r.PostForm.Get("form"), h.formParts(v)...) {
		h.Pages.Fail(w, r, http.StatusForbidden, page.Problem{
			Title: page.Text("This form does not belong to you any more"),
			Text:  page.Text("It was filled in by somebody else, or you signed in or out since it was shown. Nothing was approved."),
			ToDo:  page.Text("Start again in your agent's client."),
		})
		return
	}
	choice := h.Consent.Read(r.PostForm, v.session.Companies)
	switch r.PostForm.Get("decision") {
	case "approve":
		h.approve(w, r, v, choice)
	case "refuse":
		if h.spend(w, r, v) {
			h.answerFault(w, r, v.request, fault.New(fault.AccessDenied, "The person refused."))
		}
	case "add":
		h.addCompany(w, r, v, choice)
	default: // a search, or the form's other state
		h.showForm(w, r, v, choice, readFinding(r.PostForm))
	}
}

// addCompany proves one more company and shows the form again, as it was filled in.
func (h *Handler) addCompany(w http.ResponseWriter, r *http.Request, v *visit, choice consent.Choice) {
	company, wrong, err := h.SignIn.Add(r)
	if err == nil && wrong == nil {
		err = h.person(r, v)
	}
	if err != nil {
		h.Pages.Down(w, r, err)
		return
	}
	f := readFinding(r.PostForm)
	f.full, f.fault = true, wrong
	if wrong == nil && !slices.Contains(choice.Companies, company) {
		choice.Companies = append(choice.Companies, company)
	}
	h.showForm(w, r, v, choice, f)
}

// formParts is what a form of this page is bound to, beside the browser.
func (h *Handler) formParts(v *visit) []string {
	return []string{"authorize", v.request.ID, v.session.Key()}
}

func (h *Handler) approve(w http.ResponseWriter, r *http.Request, v *visit, choice consent.Choice) {
	if fault := choice.Fault(); fault != nil {
		f := readFinding(r.PostForm)
		f.fault = fault
		h.showForm(w, r, v, choice, f)
		return
	}
	if !h.spend(w, r, v) {
		return
	}
	joined, err := h.Links.Join(r.Context(), v.session.PersonID, v.client.ID, func(l *link.Record) error {
		h.write(l, v, choice)
		return nil
	})
	if err == nil {
		err = h.Approver.Approved(r.Context(), v.client.ID)
	}
	if err != nil {
		h.answerFault(w, r, v.request, fault.Down(err))
		return
	}
	h.giveCode(w, r, v, joined)
}

// write puts what the person decided into the link.
func (h *Handler) write(l *link.Record, v *visit, choice consent.Choice) {
	l.PersonName, l.Email, l.ReadOnly = v.session.Name, v.session.Email, v.session.ReadOnly
	l.ClientName, l.Verified = nameOf(v.client), v.client.Verified()
	l.State = link.Active
	l.Scope, l.Companies = choice.Scope(), choice.Of(v.session.Companies)
	l.CompanyID, l.CompanyName = l.Companies[0].ID, l.Companies[0].Name
	l.EndAt(h.Now().UTC().Add(min(choice.Life(), h.Longest)).Truncate(time.Second))
	l.Companies = slices.Clip(l.Companies)
}

// spend uses the request. Where it gives false, it has answered.
func (h *Handler) spend(w http.ResponseWriter, r *http.Request, v *visit) bool {
	err := h.Requests.use(r.Context(), v.request, v.revision)
	if err == nil {
		return true
	}
	if errors.Is(err, errGone) {
		h.Pages.Fail(w, r, http.StatusConflict, page.Problem{
			Title: page.Text("This request is over"),
			Text:  page.Text("It was answered a moment ago."),
			ToDo:  page.Text("Look at your agent's client."),
		})
		return false
	}
	h.Pages.Down(w, r, err)
	return false
}

func (h *Handler) giveCode(w http.ResponseWriter, r *http.Request, v *visit, l *link.Record) {
	code, err := h.Grants.Begin(r.Context(), grant.Begin{
		LinkID:      l.ID,
		ClientID:    v.request.ClientID,
		RedirectURI: v.request.RedirectURI,
		Repeat:      v.request.Repeat,
		Challenge:   v.request.Challenge,
		Until:       l.Until,
	})
	if err != nil {
		h.answerFault(w, r, v.request, fault.Down(err))
		return
	}
	h.answer(w, r, v.request, url.Values{"code": {string(code)}})
}
