package observe

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/identity"
)

type listLinksIn struct {
	Person int64              `json:"persona_id"` // 0: all
	State  identity.LinkState `json:"estado"`
	Limit  *int               `json:"limit"`
	Cursor string             `json:"cursor"`
}

var linkArguments = fmt.Appendf(nil, `{"type": "object", "properties": {
	"persona_id": {"type": "integer"},
	"estado": {"type": "string", "enum": ["%s", "%s", "%s"]},
	"limit": {"type": "integer"},
	"cursor": {"type": "string"}}}`, identity.LinkActive, identity.LinkPaused, identity.LinkRevoked)

func (l *ledger) listLinks() (host.Tool, error) {
	return handTool(catalog.Tool{
		Name:        "listar_enlaces",
		Title:       "List links",
		Description: "All links of persons and agents: state, last use, rights.",
		Effect:      catalog.Read,
		Idempotent:  true,
		Admin:       true,
		Every:       everything,
		Narrowed:    true,
		Profiles:    []string{audit.Name},
	}, json.RawMessage(linkArguments), func(ctx context.Context, c *call.Call) (*call.Answer, error) {
		var in listLinksIn
		if err := into(c.Args, &in); err != nil {
			return nil, err
		}
		limit, clamped := limitOf(in.Limit)
		filter := identity.LinkFilter{PersonID: in.Person, State: in.State, After: in.Cursor, Limit: limit}
		links, more, err := l.Links.ListLinks(ctx, adminCredential(c), filter)
		if err != nil {
			return nil, linkProblem(err)
		}
		shown := make([]any, 0, len(links))
		for _, link := range links {
			shown = append(shown, linkView(link))
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
