package observe

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
)

type revokeLinkIn struct {
	Link   string `json:"enlace_id"`
	Reason string `json:"motivo"`
}

func revokeLink(deps host.Deps) (host.Tool, error) {
	tool, err := handTool(catalog.Tool{
		Name:        "revocar_enlace",
		Title:       "Revoke a link",
		Description: "Ends a link of listar_enlaces for good; its agent stops within a second. For administrators.",
		Effect:      catalog.Destructive,
		Idempotent:  true,
		Admin:       true,
		Every:       everything,
		Confirm:     catalog.ConfirmTrue,
		Profiles:    []string{audit.Name},
	}, revokeLinkIn{}, func(ctx context.Context, c *call.Call) (*call.Answer, error) {
		var in revokeLinkIn
		if err := into(c.Args, &in); err != nil {
			return nil, err
		}
		// Begun, it is done: whether it happened must not depend on who waits.
		link, already, err := deps.Links.RevokeLink(context.WithoutCancel(ctx), adminCredential(c), in.Link)
		if err != nil {
			return nil, linkProblem(err)
		}
		return &call.Answer{Value: map[string]any{"enlace": linkView(link), "ya_revocado": already}}, nil
	})
	tool.Preview = func(_ context.Context, c *call.Call) (*call.Answer, error) {
		return &call.Answer{Value: map[string]any{
			"dry_run": true, "enlace_id": c.Args["enlace_id"],
			"advertencia": "Nothing was done. Without dry_run this link is revoked for ever.",
		}}, nil
	}
	return tool, err
}
