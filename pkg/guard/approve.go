package guard

import (
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
)

// NeedsPerson reports whether the link's person must agree to each such call. A
// personal token is the person's own key, so nobody else is asked.
func NeedsPerson(p *identity.Principal, t *catalog.Tool) bool {
	if p.Link.Scheme == identity.Token || !t.Writes() {
		return false
	}
	return t.Approval == catalog.HumanApproval ||
		p.Scope.Ask == identity.AskWrites ||
		p.Scope.Ask == identity.AskDestructive && t.Effect != catalog.Write
}
