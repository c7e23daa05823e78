package observe

import (
	"fmt"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
)

// ownTools are all tools of the area that are no platform operation.
func ownTools(cfg Config, deps host.Deps) ([]host.Tool, error) {
	asking, err := graphQLTools(cfg.GraphQL, deps)
	if err != nil {
		return nil, err
	}
	audit, err := auditTools(deps)
	return append(asking, audit...), err
}

// auditTools are the tools of links and of the audit; each is in the file of its name.
func auditTools(deps host.Deps) ([]host.Tool, error) {
	var tools []host.Tool
	l := newLedger(deps)
	for _, make := range []func() (host.Tool, error){l.listAudit, l.listOwnAudit, l.listLinks, l.revokeLink} {
		tool, err := make()
		if err != nil {
			return nil, err
		}
		tools = append(tools, tool)
	}
	return tools, nil
}

func handTool(meta catalog.Tool, in any, run call.Handler) (host.Tool, error) {
	meta.Area = "observe"
	tool, err := catalog.HandTool(meta, in, nil)
	if err != nil {
		return host.Tool{}, fmt.Errorf("make the tool %s: %w", meta.Name, err)
	}
	return host.Tool{Tool: tool, Run: run}, nil
}
