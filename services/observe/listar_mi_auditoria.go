package observe

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
)

func listOwnAudit(deps host.Deps) (host.Tool, error) {
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
		return auditPage(ctx, deps, in, c.Principal.Person.ID)
	})
}
