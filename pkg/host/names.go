package host

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// Name asks the platform what the call's resource is called. Where the platform
// addresses a resource by its name, that is the name.
func (g *Gate) Name(ctx context.Context, c *call.Call) (string, error) {
	retrieve, ok := g.lookUp(c.Tool.Retrieve)
	if !ok || retrieve.Binding == nil {
		return g.addressedName(c)
	}
	request := requestFor(c)
	request.Tool, request.Key = retrieve, ""
	request.Args = argsOf(retrieve, c.Args)
	got, err := g.wiring.Platform.Do(ctx, request)
	if err != nil {
		return "", interrupted(ctx, err)
	}
	data, ok := got.Value["data"].(map[string]any)
	if !ok {
		data = got.Value
	}
	if name, ok := data["name"].(string); ok && name != "" {
		return name, nil
	}
	return g.addressedName(c)
}

// addressedName is the text that the call names its resource with.
func (g *Gate) addressedName(c *call.Call) (string, error) {
	if id := guard.ID(c.Args[c.Tool.RootArg]); id != "" {
		return id, nil
	}
	return "", problem.New(problem.EstadoInvalido, "The name of the resource cannot be found out right now, so it was not changed.")
}
