package observe

import (
	"context"
	"slices"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

type revokeLinkIn struct {
	Link   string `json:"enlace_id"`
	Reason string `json:"motivo"`
}

func (l *ledger) revokeLink() (host.Tool, error) {
	tool, err := handTool(catalog.Tool{
		Name:        "revocar_enlace",
		Title:       "Revoke a link",
		Description: "Ends a link of listar_enlaces for good; its agent stops within a second.",
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
		link, already, err := l.Links.RevokeLink(context.WithoutCancel(ctx), adminCredential(c), in.Link)
		if err != nil {
			return nil, linkProblem(err)
		}
		return &call.Answer{Value: map[string]any{"enlace": linkView(link), "ya_revocado": already}}, nil
	})
	tool.Preview = func(ctx context.Context, c *call.Call) (*call.Answer, error) {
		link, err := findLink(ctx, l.Links, adminCredential(c), argument(c, "enlace_id"))
		if err != nil {
			return nil, linkProblem(err)
		}
		return &call.Answer{Value: map[string]any{
			"dry_run": true, "enlace": linkView(link), "ya_revocado": link.State == identity.LinkRevoked,
			"advertencia": problem.Sentence{Format: "Nothing was done. Without dry_run this link is revoked for ever."}.String(),
		}}, nil
	}
	return tool, err
}

// findLink looks through the links, which come in the order of their ids.
func findLink(ctx context.Context, links host.Links, who identity.Secret, id string) (identity.LinkInfo, error) {
	filter := identity.LinkFilter{Limit: maxLimit}
	for {
		page, more, err := links.ListLinks(ctx, who, filter)
		if err != nil {
			return identity.LinkInfo{}, err
		}
		if i := slices.IndexFunc(page, func(l identity.LinkInfo) bool { return l.ID == id }); i >= 0 {
			return page[i], nil
		}
		if !more || len(page) == 0 || page[len(page)-1].ID > id {
			return identity.LinkInfo{}, identity.ErrNoLink
		}
		filter.After = page[len(page)-1].ID
	}
}
