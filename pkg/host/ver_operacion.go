package host

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/operation"
)

// operationInput names one of the link's operations.
type operationInput struct {
	ID string `json:"operacion_id"`
}

func (g *Gate) operationTool() (Tool, error) {
	return g.handTool(catalog.Tool{
		Name:        toolOperation,
		Title:       "See an operation",
		Description: "How an operation of any host stands: en_curso (ask again after reintentar_en_segundos), ok with resultado, or error. Kept 7 days.",
		Effect:      catalog.Read,
		Idempotent:  true,
	}, operationInput{}, nil, func(ctx context.Context, c *call.Call) (*call.Answer, error) {
		id := operationID(c)
		op, err := g.wiring.Operations.Get(ctx, c.Principal.Link.ID, id)
		if err != nil {
			return nil, err
		}
		c.Trace.OperationID = op.GetId()
		return &call.Answer{Value: operation.View(op)}, nil
	})
}

func operationID(c *call.Call) string {
	id, _ := c.Args["operacion_id"].(string)
	return id
}
