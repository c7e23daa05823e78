package observe

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
)

type listAuditIn struct {
	auditFilter
	Person int64 `json:"persona_id"` // 0: all
}

func (l *ledger) listAudit() (host.Tool, error) {
	return handTool(catalog.Tool{
		Name:        "listar_auditoria",
		Title:       "List the audit",
		Description: "Every person's calls with who, when and result, newest first.",
		Effect:      catalog.Read,
		Idempotent:  true,
		Admin:       true,
		Every:       everything,
		Narrowed:    true,
		Told:        map[string]string{catalog.ArgFilter: "See listar_mi_auditoria; also persona_id"},
		Profiles:    []string{audit.Name},
	}, auditArguments(`, "persona_id": {"type": "integer"}`), func(ctx context.Context, c *call.Call) (*call.Answer, error) {
		var in listAuditIn
		if err := into(c.Args, &in); err != nil {
			return nil, err
		}
		return l.page(ctx, in.auditFilter, in.Person)
	})
}
