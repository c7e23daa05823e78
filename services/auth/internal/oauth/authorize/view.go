package authorize

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

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
	form.Fresh = v.request.Login
	return view{Who: whoOf(v), SignIn: &form}
}

// formView is the approval form.
type formView struct {
	Action, Token string
	Person, Email string
	Add           signin.View // another company's token
	Fault         *page.Sentence

	Known     bool // the client has a link already
	Short     bool // only what is new is asked
	New       []areaView
	AllURL    string
	Areas     []areaView
	ReadOnly  bool
	Limited   bool // the platform itself lets the person only read
	Ask       string
	Companies []companyView
	Missing   []string // companies that the link has and the person did not prove now
	Kinds     []kindView
	Days      []dayView
	Never     []roots.Never
	Summary   []page.Sentence
}

type areaView struct {
	Name           string
	Title, Holds   page.Sentence
	Chosen, Before bool
}

type companyView struct {
	ID     int64
	Name   string
	Chosen bool
}

type dayView struct {
	Days   int
	Chosen bool
}

type kindView struct {
	Name   string
	Title  page.Sentence
	Some   bool
	Chosen []roots.Root
	Find   string
	Found  *roots.Found // nil: not looked for
	Others []roots.Root // found and not chosen
	Failed bool
	Open   bool
}

// finding is what the form shows beside the choice: searches, a fault.
type finding struct {
	full  bool
	show  string            // the kind whose list was asked for by this click
	texts map[string]string // searches by kind
	shown map[string]bool   // kinds whose lists stand open
	fault *page.Sentence
}

func readFinding(values url.Values) finding {
	f := finding{full: values.Get("all") == "1", show: values.Get("show"), texts: map[string]string{}, shown: map[string]bool{}}
	for key, all := range values {
		if kind, ok := strings.CutPrefix(key, "find."); ok && len(all[0]) <= 200 {
			f.texts[kind] = all[0]
		}
		if kind, ok := strings.CutPrefix(key, "shown."); ok {
			f.shown[kind] = true
		}
	}
	if f.show != "" {
		f.shown[f.show] = true
	}
	return f
}

func (h *Handler) showForm(w http.ResponseWriter, r *http.Request, v *visit, choice Choice, f finding) {
	form := &formView{
		Action: h.path(v.request), Token: v.browser.Form(h.formParts(v)...),
		Person: cmp.Or(v.session.Name, v.session.Email), Email: v.session.Email,
		Add:   h.SignIn.View(r, v.browser, h.path(v.request), page.Text("Add the company")),
		Fault: f.fault, ReadOnly: choice.ReadOnly, Limited: v.session.ReadOnly, Ask: string(choice.Ask),
		AllURL: h.path(v.request) + "?all=1",
		Never:  h.Roots.Never(),
	}
	h.describeLink(form, v, f)
	for _, name := range h.Areas.Names() {
		a := areaOf(name)
		a.Chosen = slices.Contains(choice.Areas, name)
		a.Before = v.link != nil && v.link.HasArea(name)
		form.Areas = append(form.Areas, a)
		if a.Chosen && !a.Before {
			form.New = append(form.New, a)
		}
	}
	for _, company := range v.session.Companies {
		form.Companies = append(form.Companies, companyView{company.ID, company.Name, slices.Contains(choice.Companies, company.ID)})
	}
	for _, n := range days {
		form.Days = append(form.Days, dayView{n, n == choice.Days})
	}
	form.Kinds = h.kinds(r.Context(), v, choice, f)
	form.Summary = choice.summary()
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

// kinds are the disclosures of resources; a list is fetched only where it stands open.
func (h *Handler) kinds(ctx context.Context, v *visit, choice Choice, f finding) []kindView {
	var kinds []kindView
	for _, kind := range h.Roots.Kinds() {
		chosen, some := choice.Only[kind.Name]
		k := kindView{Name: kind.Name, Title: kindTitle(kind.Name), Some: some, Chosen: chosen, Find: f.texts[kind.Name], Open: f.shown[kind.Name]}
		if k.Open {
			h.find(ctx, v, choice, &k)
		}
		kinds = append(kinds, k)
	}
	return kinds
}

func (h *Handler) find(ctx context.Context, v *visit, choice Choice, k *kindView) {
	open, err := h.credentials(ctx, v, choice.Companies)
	if err == nil {
		var found roots.Found
		if found, err = h.Roots.Find(ctx, k.Name, k.Find, open); err == nil {
			k.Found = &found
		}
	}
	if err != nil {
		h.Log.WarnContext(ctx, "resources could not be listed", "kind", k.Name, "error", err)
		k.Failed = true
		return
	}
	for _, root := range k.Found.Roots {
		i := slices.IndexFunc(k.Chosen, func(c roots.Root) bool { return c.ID == root.ID })
		if i < 0 {
			k.Others = append(k.Others, root)
		} else {
			k.Chosen[i].Name = root.Name
		}
	}
}

// summary is the line above the buttons.
func (c *Choice) summary() []page.Sentence {
	words := []page.Sentence{page.Text("Read only")}
	if !c.ReadOnly {
		words[0] = page.Text("Reads and writes")
	}
	if len(c.Areas) == 0 {
		words = append(words, page.Text("no area yet"))
	}
	for _, area := range c.Areas {
		words = append(words, areaOf(area).Title)
	}
	if n := c.restricted(); n > 0 {
		words = append(words, page.Text("%d resources only", n))
	}
	if c.Days == 1 {
		return append(words, page.Text("1 day"))
	}
	return append(words, page.Text("%d days", c.Days))
}
