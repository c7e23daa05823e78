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
		Description: "What was called for your person on all hosts, by you and their other agents, the newest first. enlace_id: of one agent.",
		Effect:      catalog.Read,
		Idempotent:  true,
		Profiles:    []string{audit.Name},
	}, auditFilter{}, func(ctx context.Context, c *call.Call) (*call.Answer, error) {
		var in auditFilter
		if err := into(c.Args, &in); err != nil {
			return nil, err
		}
		return auditPage(ctx, deps, in, c.Principal.Person.ID)
	})
}
