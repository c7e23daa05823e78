package observe

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

type listLinksIn struct {
	Person *int64 `json:"persona_id,omitempty"`
	State  string `json:"estado,omitempty" jsonschema:"activo, pausado or revocado"`
	Limit  *int   `json:"limit,omitempty"`
	Cursor string `json:"cursor,omitempty" jsonschema:"of the answer before"`
}

func listLinks(deps host.Deps) (host.Tool, error) {
	return handTool(catalog.Tool{
		Name:        "listar_enlaces",
		Title:       "List links",
		Description: "Every link of a person and an agent: its state, last use and rights. For administrators; revocar_enlace ends one.",
		Effect:      catalog.Read,
		Idempotent:  true,
		Admin:       true,
		Profiles:    []string{audit.Name},
	}, listLinksIn{}, func(ctx context.Context, c *call.Call) (*call.Answer, error) {
		var in listLinksIn
		if err := into(c.Args, &in); err != nil {
			return nil, err
		}
		limit, clamped := limitOf(in.Limit)
		filter := identity.LinkFilter{State: identity.LinkState(in.State), After: in.Cursor, Limit: limit}
		if in.Person != nil {
			filter.PersonID = *in.Person
		}
		switch filter.State {
		case "", identity.LinkActive, identity.LinkPaused, identity.LinkRevoked:
		default:
			return nil, problem.New(problem.ParametroInvalido, "estado must be activo, pausado or revocado.").
				With("fields", map[string]string{"estado": "must be activo, pausado or revocado"})
		}
		links, more, err := deps.Links.ListLinks(ctx, adminCredential(c), filter)
		if err != nil {
			return nil, linkProblem(err)
		}
		shown := make([]any, 0, len(links))
		for _, l := range links {
			shown = append(shown, linkView(l))
		}
		if n := fitting(shown); n < len(shown) {
			shown, links, more = shown[:n], links[:n], true
		}
		value := map[string]any{"enlaces": shown, "cursor": nil}
		if more {
			value["cursor"] = links[len(links)-1].ID
		}
		if clamped != nil {
			value["limit_ajustado"] = clamped
		}
		return &call.Answer{Value: value}, nil
	})
}
