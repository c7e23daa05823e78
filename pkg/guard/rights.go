package guard

import (
	"slices"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// Visible reports whether tools/list shows the tool to this caller, and if not, why.
func Visible(p *identity.Principal, t *catalog.Tool) *problem.Problem {
	switch {
	case t.Never != "":
		return problem.New(problem.SinPermiso, "No agent may call %s: %s", t.Name, t.Never).
			ToDo("Ask the person to do this themselves on the platform.").
			Because(problem.Nunca)
	case t.Writes() && p.ReadOnly():
		return readOnly(p, t)
	case t.Admin && !p.Person.SystemAdmin:
		return problem.New(problem.SinPermiso, "%s is for system administrators of the platform.", t.Name).
			ToDo("Ask an administrator, or use another tool.").
			Because(problem.Admin)
	}
	return nil
}

func readOnly(p *identity.Principal, t *catalog.Tool) *problem.Problem {
	refusal := problem.New(problem.SinPermiso, "%s changes things, and this link may only read.", t.Name).
		Because(problem.SoloLectura)
	if p.Person.ReadOnly {
		return refusal.ToDo("The platform itself lets this person only read. Ask somebody with writing rights.")
	}
	return refusal.ToDo("Ask the person to switch off read-only for this link on their /me page, if they want this.")
}

// Allowed says why the call is outside the caller's rights, or nil: the tool
// must be visible, its area approved, and its resource within the scope.
func Allowed(c *call.Call) *problem.Problem {
	if p := Visible(c.Principal, c.Tool); p != nil {
		return p
	}
	if !slices.Contains(c.Principal.Scope.Areas, c.Area) {
		return problem.New(problem.SinPermiso, "This link does not include the area %s.", c.Area).
			ToDo("Ask the person to add the area to this link on their /me page.").
			Because(problem.Alcance)
	}
	return inScope(c)
}
