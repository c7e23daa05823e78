package host

import (
	"fmt"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// Names of the tools that every host and profile has (contract §5).
const (
	toolPing       = "ping"
	toolContext    = "ver_contexto_inicial"
	toolCompanies  = "listar_empresas"
	toolOperation  = "ver_operacion"
	toolOperations = "listar_operaciones"
	toolCancel     = "cancelar_operacion"
)

var commonNames = []string{toolPing, toolContext, toolCompanies, toolOperation, toolOperations, toolCancel}

// commonTools makes them; each is in the file of its name.
func (g *Gate) commonTools() ([]Tool, error) {
	var tools []Tool
	for _, build := range []func() (Tool, error){
		g.pingTool, g.contextTool, g.companiesTool, g.operationTool, g.operationsTool, g.cancelTool,
	} {
		t, err := build()
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	return tools, nil
}

// handTool makes a hand-written tool of this host. in and out are zero values of
// the structs that its schemas come from; a nil out declares no output.
func (g *Gate) handTool(meta catalog.Tool, in, out any, run call.Handler) (Tool, error) {
	meta.Area = g.area.Name
	t, err := catalog.HandTool(meta, in, out)
	if err != nil {
		return Tool{}, fmt.Errorf("make the tool %s: %w", meta.Name, err)
	}
	return Tool{Tool: t, Run: run}, nil
}

// noInput is the input of a tool without arguments.
type noInput struct{}
