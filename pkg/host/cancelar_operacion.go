package host

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/operation"
)

func (g *Gate) cancelTool() (Tool, error) {
	return g.handTool(catalog.Tool{
		Name:        toolCancel,
		Title:       "Cancel an operation",
		Description: "Stops an operation that has not reached the platform yet; others go on. Answers how it stands.",
		// It changes nothing on the platform, so a link that may only read may stop
		// what it began while it could write.
		Effect:     catalog.Read,
		Idempotent: true,
	}, operationInput{}, nil, func(ctx context.Context, c *call.Call) (*call.Answer, error) {
		op, err := g.wiring.Operations.Cancel(ctx, c.Principal.Link.ID, operationID(c))
		if err != nil {
			return nil, err
		}
		c.Trace.OperationID = op.GetId()
		return &call.Answer{Value: operation.View(op)}, nil
	})
}
