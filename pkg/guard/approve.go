package guard

import (
	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/problem"
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

// approved refuses what needs a person's yes. There is no page yet on which a
// person could give it, so the call is one that no agent may make.
func approved(c *call.Call) *problem.Problem {
	if !NeedsPerson(c.Principal, c.Tool) {
		return nil
	}
	return problem.New(problem.SinPermiso, "%s needs the person's approval for each call, which cannot be given here.", c.Tool.Name).
		ToDo("Ask the person to do this themselves on the platform, or to change when this link must ask.").
		Because(problem.Nunca)
}
