package consent

import (
	"context"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/audience"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
	"github.com/comporta-mcp/comporta/services/auth/internal/roots"
	"github.com/comporta-mcp/comporta/services/auth/internal/signin"
	"github.com/comporta-mcp/comporta/services/auth/internal/vault"
)

// Maker makes the form and reads what comes back.
type Maker struct {
	Areas *audience.Areas
	Roots *roots.Roots
	Vault vault.Vault
	Log   *slog.Logger
}

// Form is what one showing of the form begins with.
type Form struct {
	Choice    Choice
	Session   *signin.Session
	Companies []link.Company // that the person may choose
	Link      *link.Record   // nil: there is none yet
	// Left is how long the link lives still, where the end may stay where it is and
	// only an earlier one is offered: a longer session needs a new approval. 0: any.
	Left time.Duration
	Find Find
}

// Fields are what the template "scope" shows.
type Fields struct {
	Areas     []Area
	ReadOnly  bool
	Limited   bool // the platform itself lets the person only read
	Ask       string
	Companies []Company
	Kinds     []Kind
	Days      []Day
	Summary   []page.Sentence
}

// Area is one area to choose.
type Area struct {
	Name           string
	Title, Holds   page.Sentence
	Chosen, Before bool
}

// Company is one company to choose.
type Company struct {
	ID     int64
	Name   string
	Chosen bool
}

// Day is one length of a session to choose.
type Day struct {
	Days   int
	Chosen bool
}

// Kind is the disclosure of one kind of resources.
type Kind struct {
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

// Find is what the person looks for in the lists of resources.
type Find struct {
	texts map[string]string // searches by kind
	shown map[string]bool   // kinds whose lists stand open
}

// ReadFind reads it from the posted form.
func ReadFind(values url.Values) Find {
	f := Find{texts: map[string]string{}, shown: map[string]bool{}}
	for key, all := range values {
		if kind, ok := strings.CutPrefix(key, "find."); ok && len(all[0]) <= 200 {
			f.texts[kind] = all[0]
		}
		if kind, ok := strings.CutPrefix(key, "shown."); ok {
			f.shown[kind] = true
		}
	}
	if kind := values.Get("show"); kind != "" { // the list that was asked for by this click
		f.shown[kind] = true
	}
	return f
}

// Fields makes the form. A list of resources is fetched only where it stands open.
func (m *Maker) Fields(ctx context.Context, f Form) Fields {
	c := f.Choice
	fields := Fields{ReadOnly: c.ReadOnly, Limited: f.Session.ReadOnly, Ask: string(c.Ask), Summary: c.summary()}
	for _, name := range m.Areas.Names() {
		a := areaOf(name)
		a.Chosen = slices.Contains(c.Areas, name)
		a.Before = f.Link != nil && f.Link.HasArea(name)
		fields.Areas = append(fields.Areas, a)
	}
	for _, company := range f.Companies {
		fields.Companies = append(fields.Companies, Company{company.ID, company.Name, slices.Contains(c.Companies, company.ID)})
	}
	if f.Left > 0 {
		fields.Days = append(fields.Days, Day{Same, c.Days == Same})
	}
	for _, n := range days {
		if f.Left > 0 && time.Duration(n)*24*time.Hour >= f.Left {
			continue
		}
		fields.Days = append(fields.Days, Day{n, n == c.Days})
	}
	for _, kind := range m.Roots.Kinds() {
		chosen, some := c.Only[kind.Name]
		k := Kind{Name: kind.Name, Title: KindTitle(kind.Name), Some: some, Chosen: chosen, Find: f.Find.texts[kind.Name], Open: f.Find.shown[kind.Name]}
		if k.Open {
			m.find(ctx, f, &k)
		}
		fields.Kinds = append(fields.Kinds, k)
	}
	return fields
}

func (m *Maker) find(ctx context.Context, f Form, k *Kind) {
	open, err := m.credentials(ctx, f)
	if err == nil {
		var found roots.Found
		if found, err = m.Roots.Find(ctx, k.Name, k.Find, open); err == nil {
			k.Found = &found
		}
	}
	if err != nil {
		m.Log.WarnContext(ctx, "resources could not be listed", "kind", k.Name, "error", err)
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

// credentials are the person's own, as far as they were shown in this session, for
// looking at their resources.
func (m *Maker) credentials(ctx context.Context, f Form) (roots.Companies, error) {
	open := roots.Companies{}
	for _, company := range f.Session.Companies {
		if !slices.Contains(f.Choice.Companies, company.ID) {
			continue
		}
		token, err := m.Vault.Open(ctx, f.Session.PersonID, company.ID, company.Sealed)
		if err != nil {
			return nil, err
		}
		open[company.ID] = token
	}
	return open, nil
}

// Reach says how far the agent gets, in a few words.
func (c *Choice) Reach() []page.Sentence {
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
	return words
}

// summary is the line above the buttons.
func (c *Choice) summary() []page.Sentence {
	words := c.Reach()
	switch c.Days {
	case Same:
		return append(words, page.Text("the same end as now"))
	case 1:
		return append(words, page.Text("1 day"))
	default:
		return append(words, page.Text("%d days", c.Days))
	}
}

// Fault is what is missing for an approval; nil: nothing.
func (c *Choice) Fault() *page.Sentence {
	var text page.Sentence
	switch {
	case len(c.Areas) == 0:
		text = page.Text("Choose at least one area.")
	case len(c.Companies) == 0:
		text = page.Text("Choose at least one company.")
	default:
		return nil
	}
	return &text
}
