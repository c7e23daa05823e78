package host

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/operation"
)

func (g *Gate) operationsTool() (Tool, error) {
	return g.handTool(catalog.Tool{
		Name:        toolOperations,
		Title:       "List operations",
		Description: "This link's operations, newest first.",
		Effect:      catalog.Read,
		Idempotent:  true,
		List:        &catalog.List{Key: "operaciones", TotalKey: "total", PageArg: catalog.ArgPage},
	}, noInput{}, nil, func(ctx context.Context, c *call.Call) (*call.Answer, error) {
		page := askedOf(ctx).page
		ops, total, err := g.wiring.Operations.List(ctx, c.Principal.Link.ID, page.Limit*page.Number)
		if err != nil {
			return nil, err
		}
		from := min((page.Number-1)*page.Limit, len(ops))
		views := make([]any, 0, len(ops)-from)
		for _, op := range ops[from:] {
			views = append(views, operation.View(op))
		}
		return &call.Answer{Value: map[string]any{"operaciones": views, "total": total}}, nil
	})
}
