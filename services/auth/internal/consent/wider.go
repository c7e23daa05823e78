package consent

import (
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
)

// Wider says in what a change gives an agent more than it has now; empty: in
// nothing, and the change may take effect without another proof of who asks. until
// is when the link ends after the change.
func Wider(l *link.Record, to *link.Scope, companies []link.Company, until time.Time) []page.Sentence {
	from := l.Scope
	var more []page.Sentence
	for _, area := range to.Areas {
		if !slices.Contains(from.Areas, area) {
			more = append(more, page.Text("It gets one more area: %s.", area))
		}
	}
	for _, c := range companies {
		if !slices.ContainsFunc(l.Companies, func(had link.Company) bool { return had.ID == c.ID }) {
			more = append(more, page.Text("It gets one more company: %s.", c.Name))
		}
	}
	if from.ReadOnly && !to.ReadOnly {
		more = append(more, page.Text("It may create, change and delete."))
	}
	if !to.ReadOnly && strictness(to.Ask) < strictness(from.Ask) {
		more = append(more, page.Text("It asks you less often before it acts."))
	}
	if opens(from.Resources, to.Resources) {
		more = append(more, page.Text("It reaches resources that it could not reach before."))
	}
	if until.After(l.Until) {
		more = append(more, page.Text("It may act for longer than now."))
	}
	return more
}

// strictness orders how often a link asks.
func strictness(a identity.Ask) int {
	return slices.Index([]identity.Ask{identity.AskNever, identity.AskDestructive, identity.AskWrites}, a)
}

// opens reports whether some resource is open in b and not in a. A kind that is not
// named is open as a whole.
func opens(a, b map[string]identity.Resources) bool {
	for kind, had := range a {
		if had.All {
			continue
		}
		has, named := b[kind]
		if !named || has.All || slices.ContainsFunc(has.IDs, func(id string) bool { return !slices.Contains(had.IDs, id) }) {
			return true
		}
	}
	return false
}
