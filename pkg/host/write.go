package host

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/call"
)

// write changes the platform. From here on the call goes to its end even when its
// client leaves: a write that is broken off has an effect that nobody knows. Its
// time is bounded by the platform client. With a key it takes effect once, over
// crashes too; without one there is nothing to find it by afterwards.
func (g *Gate) write(ctx context.Context, c *call.Call) (*call.Answer, error) {
	ctx = context.WithoutCancel(ctx)
	got, err := g.wiring.Writer.Write(ctx, requestFor(c), c.Journal)
	if err != nil {
		return nil, g.refused(ctx, c, err)
	}
	return answered(ctx, c, got), nil
}
