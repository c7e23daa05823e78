package host

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
)

type pingOutput struct {
	OK      bool   `json:"ok" jsonschema:"always true"`
	Area    string `json:"area" jsonschema:"the area of this host"`
	Version string `json:"version" jsonschema:"the version of its tools"`
}

func (g *Gate) pingTool() (Tool, error) {
	return g.handTool(catalog.Tool{
		Name:        toolPing,
		Title:       "Ping",
		Description: "This host's area and version. Needs no authentication.",
		Effect:      catalog.Read,
		Idempotent:  true,
	}, noInput{}, pingOutput{}, func(context.Context, *call.Call) (*call.Answer, error) { return g.pong(), nil })
}

func (g *Gate) pong() *call.Answer {
	return &call.Answer{Value: map[string]any{"ok": true, "area": g.area.Name, "version": g.area.Version}}
}
