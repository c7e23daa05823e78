package authorize

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/services/auth/internal/consent"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/client"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
	"github.com/comporta-mcp/comporta/services/auth/internal/roots"
	"github.com/comporta-mcp/comporta/services/auth/internal/signin"
)

// view is the page: who asks, then either the sign-in, or the form.
type view struct {
	Who
	SignIn *signin.View // nil: signed in
	Form   *formView    // nil: not signed in
}

// Who is the page's head: who asks, and where the answer goes.
type Who struct {
	Name, Company, Domain, Goes string
	Loopback                    bool
	At                          time.Time
}

func nameOf(c *client.Client) string {
	name := c.Name
	if name == "" && len(c.RedirectURIs) > 0 {
		_, name = origin(c.RedirectURIs[0])
	}
	return name
}

func whoOf(v *visit) Who {
	_, goes := origin(v.request.RedirectURI)
	who := Who{Name: nameOf(v.client), Domain: v.client.Domain, Goes: goes, Loopback: v.client.Loopback(), At: v.request.At}
	if v.session != nil {
		var names []string
		for _, company := range v.session.Companies {
			names = append(names, company.Name)
		}
		who.Company = strings.Join(names, ", ")
	}
	return who
}

func (h *Handler) signInView(r *http.Request, v *visit) view {
	form := h.SignIn.View(r, v.browser, h.path(v.request), page.Text("Sign in"))
	if v.request.Login {
		form = h.SignIn.Again(form)
	}
	return view{Who: whoOf(v), SignIn: &form}
}

// formView is the approval form.
type formView struct {
	Action, Token string
	Person, Email string
	Add           signin.View // another company's token
	Fault         *page.Sentence

	Known   bool // the client has a link already
	Short   bool // only what is new is asked
	New     []consent.Area
	AllURL  string
	Missing []string // companies that the link has and the person did not prove now
	Never   []roots.Never
	consent.Fields
}

// finding is what the form shows beside the choice: searches, a fault.
type finding struct {
	consent.Find
	full  bool
	fault *page.Sentence
}

func readFinding(values url.Values) finding {
	return finding{Find: consent.ReadFind(values), full: values.Get("all") == "1"}
}

func (h *Handler) showForm(w http.ResponseWriter, r *http.Request, v *visit, choice consent.Choice, f finding) {
	form := &formView{
		Action: h.path(v.request), Token: v.browser.Form(h.formParts(v)...),
		Person: cmp.Or(v.session.Name, v.session.Email), Email: v.session.Email,
		Add:    h.SignIn.View(r, v.browser, h.path(v.request), page.Text("Add the company")),
		Fault:  f.fault,
		AllURL: h.path(v.request) + "?all=1",
		Never:  h.Consent.Roots.Never(),
		Fields: h.Consent.Fields(r.Context(), consent.Form{Choice: choice, Session: v.session, Companies: v.session.Companies, Link: v.link, Find: f.Find}),
	}
	h.describeLink(form, v, f)
	for _, a := range form.Areas {
		if a.Chosen && !a.Before {
			form.New = append(form.New, a)
		}
	}
	status := http.StatusOK
	if f.fault != nil {
		status = http.StatusUnprocessableEntity
	}
	source, _ := origin(v.request.RedirectURI)
	h.Pages.Show(w, r, status, "authorize", view{Who: whoOf(v), Form: form}, source)
}

// describeLink says what the client already has. Where only areas are new, only
// those are asked about.
func (h *Handler) describeLink(form *formView, v *visit, f finding) {
	if v.link == nil || v.link.Scope == nil {
		return
	}
	form.Known = true
	for _, company := range v.link.Companies {
		if !v.session.Has(company.ID) {
			form.Missing = append(form.Missing, company.Name)
		}
	}
	form.Short = !f.full && len(form.Missing) == 0 && !v.request.Consent &&
		v.link.State == link.Active && h.Now().Before(v.link.Until)
}
