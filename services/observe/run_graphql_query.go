package observe

import (
	"context"
	"errors"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/services/observe/internal/gql"
)

func (q *queries) runTool() (host.Tool, error) {
	return q.tool(catalog.Tool{
		Name:        toolRun,
		Title:       "Run a GraphQL query",
		Told:        map[string]string{argSource: "See " + toolCreate},
		Description: "Runs your own query. Times are UTC: filter: {tsRange: {begin: \"2026-01-31T00:00:00\", end: …}}; page with limit and offset.",
		Untrusted:   []string{"resultado"},
		Every:       everything,
	}, `"graphql":{"type":"string","minLength":1},"variables":{"type":"object","additionalProperties":true}`,
		[]string{"graphql", "dataSource"}, q.run)
}

func (q *queries) run(ctx context.Context, c *call.Call) (*call.Answer, error) {
	a, err := q.ask(ctx, c)
	if err != nil {
		return nil, err
	}
	query := argument(c, "graphql")
	variables, _ := c.Args["variables"].(map[string]any)
	if err := a.schema.Check(query, variables); err != nil {
		refused, ok := errors.AsType[*gql.Refused](err)
		if !ok {
			return nil, err
		}
		return nil, wrongQuery(a, refused.Faults, refused.Types)
	}
	got, err := q.sources.Run(ctx, a.who, a.name, query, variables)
	if err != nil {
		c.Trace.Upstream = problem.As(err).Upstream
		return nil, err
	}
	c.Trace.Upstream = got.Status
	if len(got.Errors) > 0 {
		return nil, wrongQuery(a, got.Errors, a.schema.Mentioned(query)).From(got.Status)
	}
	return &call.Answer{Value: map[string]any{"graphql": query, "endpoint": a.endpoint, "resultado": got.Data}}, nil
}
