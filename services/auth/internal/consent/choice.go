package consent

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/roots"
	"github.com/comporta-mcp/comporta/services/auth/internal/signin"
)

// Choice is what a person has set on the form.
type Choice struct {
	Areas     []string
	ReadOnly  bool
	Ask       identity.Ask
	Companies []int64
	// Only are the kinds of which only these resources are open.
	Only map[string][]roots.Root
	Days int // until its end; Same: the end stays where it is
}

// Same stands for the days of a link whose end is not changed.
const Same = 0

// days are the lengths of a session that the form offers, the longest one last:
// contract §4.
var days = []int{1, 30, 180}

const usualDays = 30

// Life is how long the session is to last.
func (c *Choice) Life() time.Duration {
	days := c.Days
	if days == Same { // where nothing is there to stay the same
		days = usualDays
	}
	return time.Duration(days) * 24 * time.Hour
}

// most bounds the resources of one kind in a scope.
const most = 500

// First is what the form of a new client shows at first: what was asked for, read
// only. The person opens more.
func First(areas []string, session *signin.Session) Choice {
	c := Choice{
		Areas: slices.Clone(areas), ReadOnly: true, Ask: identity.AskDestructive,
		Only: map[string][]roots.Root{}, Days: usualDays,
	}
	for _, company := range session.Companies {
		c.Companies = append(c.Companies, company.ID)
	}
	return c
}

// Of is what a link already has in these companies.
func Of(l *link.Record, companies []link.Company, now time.Time) Choice {
	c := Choice{
		Areas: slices.Clone(l.Scope.Areas), ReadOnly: l.Scope.ReadOnly, Ask: l.Scope.Ask,
		Only: map[string][]roots.Root{}, Days: usualDays,
	}
	for _, company := range l.Companies {
		if slices.ContainsFunc(companies, func(offered link.Company) bool { return offered.ID == company.ID }) {
			c.Companies = append(c.Companies, company.ID)
		}
	}
	for kind, r := range l.Scope.Resources {
		if r.All {
			continue
		}
		c.Only[kind] = []roots.Root{}
		for _, id := range r.IDs {
			c.Only[kind] = append(c.Only[kind], roots.Root{ID: id, Name: id})
		}
	}
	if left := int(l.Until.Sub(now).Hours()/24 + 0.5); left > usualDays {
		c.Days = days[len(days)-1]
	}
	return c
}

// Add chooses further areas.
func (c *Choice) Add(areas []string) {
	for _, area := range areas {
		if !slices.Contains(c.Areas, area) {
			c.Areas = append(c.Areas, area)
		}
	}
}

// Read reads the posted form. What is not offered is dropped.
func (m *Maker) Read(values url.Values, companies []link.Company) Choice {
	c := Choice{ReadOnly: values.Get("read_only") == "on", Ask: identity.AskDestructive, Only: map[string][]roots.Root{}, Days: usualDays}
	for _, area := range m.Areas.Names() {
		if slices.Contains(values["area"], area) {
			c.Areas = append(c.Areas, area)
		}
	}
	for _, ask := range []identity.Ask{identity.AskNever, identity.AskDestructive, identity.AskWrites} {
		if values.Get("ask") == string(ask) {
			c.Ask = ask
		}
	}
	for _, company := range companies {
		if slices.Contains(values["company"], strconv.FormatInt(company.ID, 10)) {
			c.Companies = append(c.Companies, company.ID)
		}
	}
	if n, err := strconv.Atoi(values.Get("days")); err == nil && (n == Same || slices.Contains(days, n)) {
		c.Days = n
	}
	for _, kind := range m.Roots.Kinds() {
		if values.Get("only."+kind.Name) == "some" {
			c.Only[kind.Name] = readRoots(values["root."+kind.Name])
		}
	}
	return c
}

// readRoots reads chosen resources: id, a tab, name.
func readRoots(values []string) []roots.Root {
	chosen := []roots.Root{}
	for _, value := range values {
		id, name, _ := strings.Cut(value, "\t")
		if id == "" || len(id) > 256 || len(chosen) == most ||
			slices.ContainsFunc(chosen, func(r roots.Root) bool { return r.ID == id }) {
			continue
		}
		chosen = append(chosen, roots.Root{ID: id, Name: name})
	}
	return chosen
}

// Scope is the choice as the link keeps it.
func (c *Choice) Scope() *link.Scope {
	s := &link.Scope{Areas: slices.Clone(c.Areas), ReadOnly: c.ReadOnly, Ask: c.Ask, Resources: map[string]identity.Resources{}}
	for kind, only := range c.Only {
		ids := make([]string, 0, len(only))
		for _, root := range only {
			ids = append(ids, root.ID)
		}
		slices.Sort(ids)
		s.Resources[kind] = identity.Resources{IDs: ids}
	}
	return s
}

// Of gives the chosen ones of these companies.
func (c *Choice) Of(companies []link.Company) []link.Company {
	return slices.DeleteFunc(slices.Clone(companies), func(company link.Company) bool {
		return !slices.Contains(c.Companies, company.ID)
	})
}

// restricted counts the resources that were chosen one by one, over all kinds.
func (c *Choice) restricted() int {
	n := 0
	for only := range maps.Values(c.Only) {
		n += len(only)
	}
	return n
}
