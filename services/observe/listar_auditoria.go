package observe

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
)

type listAuditIn struct {
	auditFilter
	Person *int64 `json:"persona_id,omitempty"`
}

func listAudit(deps host.Deps) (host.Tool, error) {
	return handTool(catalog.Tool{
		Name:        "listar_auditoria",
		Title:       "List the audit",
		Description: "Who called what, when and with what result, the newest first, of every person. For administrators.",
		Effect:      catalog.Read,
		Idempotent:  true,
		Admin:       true,
		Profiles:    []string{audit.Name},
	}, listAuditIn{}, func(ctx context.Context, c *call.Call) (*call.Answer, error) {
		var in listAuditIn
		if err := into(c.Args, &in); err != nil {
			return nil, err
		}
		person := int64(0)
		if in.Person != nil {
			person = *in.Person
		}
		return auditPage(ctx, deps, in.auditFilter, person)
	})
}
