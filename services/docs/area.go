// Package docs is the docs area: what the platform's documentation, samples and references say.
package docs

import (
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/services/docs/api"
	"github.com/comporta-mcp/comporta/services/internal/instructions"
)

// Area is docs-mcp.
var Area = host.Area{
	Name:      "docs",
	Title:     "Docs",
	Version:   "0.1.0",
	Summary:   "Find what the documentation says: guides, code samples, and the references of the command line, the API and Terraform. The search tools of this area are being added; until then it has the common tools only.",
	Documents: api.Documents,
	Instructions: instructions.Text(
		"Docs area: what the documentation, code samples and references say. Its search tools and guides are being added; so far it has the common tools.",
		"Say openly that this area cannot search yet rather than answer from memory.",
	),
	Profiles: []host.Profile{
		{
			Name:         "search",
			Title:        "Search",
			Summary:      "Searching documentation, code samples and references; its tools are being added.",
			Instructions: instructions.Text("Search: documentation, code samples, and the references of the command line, the API and Terraform. Its tools are being added; so far there are the common tools."),
		},
		{
			Name:         "guides",
			Title:        "Guides",
			Summary:      "Step-by-step guides; they are being added.",
			Instructions: instructions.Text("Guides: how to get something done, step by step. They are being added; so far there are the common tools."),
		},
	},
	Examples: []host.Example{
		{Ask: "What may I look up for this person?", Tool: "ver_contexto_inicial"},
		{Ask: "Is this server up?", Tool: "ping"},
	},
}
