package host

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/identity"
)

// listResources answers a list tool. A link that may touch only some resources
// of the kind sees only those, and counts only those.
func (g *Gate) listResources(ctx context.Context, c *call.Call) (*call.Answer, error) {
	t := c.Tool
	if t.Root != "" && t.RootArg == "" && guard.Restricted(c.Principal, t.Root) {
		return g.listApproved(ctx, c)
	}
	page := askedOf(ctx).page
	got, err := g.wiring.Platform.List(ctx, requestFor(c), page.Limit, page.Number)
	if err != nil {
		return nil, g.refused(ctx, c, err)
	}
	return answered(ctx, c, got), nil
}

// listApproved walks the platform's list until every approved resource was met,
// and makes the asked page of those.
func (g *Gate) listApproved(ctx context.Context, c *call.Call) (*call.Answer, error) {
	wanted := len(c.Principal.Scope.Resources[c.Tool.Root].IDs)
	var found []any
	if wanted > 0 {
		err := g.wiring.Platform.Each(ctx, requestFor(c), func(item map[string]any) (bool, error) {
			if approvedItem(c.Principal, c.Tool, item) {
				found = append(found, item)
			}
			return len(found) < wanted, nil
		})
		if err != nil {
			return nil, g.refused(ctx, c, err)
		}
	}
	return &call.Answer{Value: shaped(ctx, c, pageOfApproved(ctx, c.Tool, found))}, nil
}

func approvedItem(p *identity.Principal, t *catalog.Tool, item map[string]any) bool {
	field := t.RootField
	if field == "" {
		field = "id"
	}
	return p.MayTouch(t.Root, guard.ID(item[field]))
}

func pageOfApproved(ctx context.Context, t *catalog.Tool, found []any) map[string]any {
	page := askedOf(ctx).page
	from := min((page.Number-1)*page.Limit, len(found))
	value := map[string]any{t.List.Key: append([]any{}, found[from:min(from+page.Limit, len(found))]...)}
	if t.List.TotalKey != "" {
		value[t.List.TotalKey] = json.Number(strconv.Itoa(len(found)))
	}
	return value
}
