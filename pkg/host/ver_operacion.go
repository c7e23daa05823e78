package host

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/operation"
)

// operationInput names one of the link's operations.
type operationInput struct {
	ID string `json:"operacion_id" jsonschema:"from the answer that began the work"`
}

func (g *Gate) operationTool() (Tool, error) {
	return g.handTool(catalog.Tool{
		Name:        toolOperation,
		Title:       "See an operation",
		Description: "How long-running work stands, on any host: estado en_curso (ask again after reintentar_en_segundos), ok with its resultado, or error. Kept for 7 days.",
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
