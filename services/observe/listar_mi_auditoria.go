package observe

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// ownLinkOnly narrows the filter of a link that may touch only some resources to its
// own calls: those of the person's other links name what it may not touch.
func ownLinkOnly(p *identity.Principal, in *auditFilter) *problem.Problem {
	if guard.Narrowed(p) == "" {
		return nil
	}
	if in.Link != "" && in.Link != p.Link.ID {
		return problem.New(problem.SinPermiso, "This link may touch only certain resources, so it sees no calls but its own.").
			ToDo("Leave out enlace_id.").
			Because(problem.Alcance)
	}
	in.Link = p.Link.ID
	return nil
}

func (l *ledger) listOwnAudit() (host.Tool, error) {
	return handTool(catalog.Tool{
		Name:        "listar_mi_auditoria",
		Title:       "List my audit",
		Description: "What you and your person's other agents called on any host, newest first; enlace_id is one agent.",
		Effect:      catalog.Read,
		Idempotent:  true,
		Narrowed:    true,
		Profiles:    []string{audit.Name},
	}, auditArguments(""), func(ctx context.Context, c *call.Call) (*call.Answer, error) {
		var in auditFilter
		if err := into(c.Args, &in); err != nil {
			return nil, err
		}
		if p := ownLinkOnly(c.Principal, &in); p != nil {
			return nil, p
		}
		return l.page(ctx, in, c.Principal.Person.ID)
	})
}
