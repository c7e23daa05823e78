// Package observe is the observe area: streams, metrics, queries and the audit.
package observe

import (
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/services/internal/instructions"
	"github.com/comporta-mcp/comporta/services/observe/api"
)

// Area is observe-mcp.
var Area = host.Area{
	Name:      "observe",
	Title:     "Observe",
	Version:   "0.1.0",
	Summary:   "See what happened: streams, dashboards, metrics and events by GraphQL, the audit. The tools of this area are being added; until then it has the common tools only.",
	Documents: api.Documents,
	Instructions: instructions.Text(
		"Observe area: streams, dashboards, metrics and events by GraphQL, and the audit. Its tools are being added; so far it has the common tools.",
		"Say openly that this area has no figures yet; never make one up.",
	),
	Profiles: []host.Profile{
		{
			Name:         "streams",
			Title:        "Streams",
			Summary:      "Streams of logs to other systems; their tools are being added.",
			Instructions: instructions.Text("Streams: sending logs to other systems. The tools are being added; so far there are the common tools."),
		},
		{
			Name:         "metrics",
			Title:        "Metrics",
			Summary:      "Dashboards and metrics; their tools are being added.",
			Instructions: instructions.Text("Metrics: dashboards and their figures. The tools are being added; so far there are the common tools."),
		},
		{
			Name:         "graphql",
			Title:        "GraphQL",
			Summary:      "Metrics and events by GraphQL; its tools are being added.",
			Instructions: instructions.Text("GraphQL: questions about metrics and events. The tools are being added; so far there are the common tools."),
		},
		{
			Name:         "audit",
			Title:        "Audit",
			Summary:      "Who changed what; its tools are being added.",
			Instructions: instructions.Text("Audit: who changed what and when. The tools are being added; so far there are the common tools."),
		},
	},
	Examples: []host.Example{
		{Ask: "What is still running that you began for me?", Tool: "listar_operaciones"},
		{Ask: "What may you see?", Tool: "ver_contexto_inicial"},
	},
}
