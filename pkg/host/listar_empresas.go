package host

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
)

func (g *Gate) companiesTool() (Tool, error) {
	return g.handTool(catalog.Tool{
		Name:        toolCompanies,
		Title:       "Companies",
		Description: "Companies you may act in; with several, other tools need empresa_id.",
		Effect:      catalog.Read,
		Idempotent:  true,
	}, noInput{}, nil, func(_ context.Context, c *call.Call) (*call.Answer, error) {
		companies := make([]any, 0, len(c.Principal.Companies))
		for _, company := range c.Principal.Companies {
			companies = append(companies, map[string]any{"id": company.ID, "nombre": company.Name})
		}
		return &call.Answer{Value: map[string]any{"empresas": companies}}, nil
	})
}
