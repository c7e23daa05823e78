package observe

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/services/observe/internal/gql"
)

func (q *queries) describeTool() (host.Tool, error) {
	return q.tool(catalog.Tool{
		Name:        toolDescribe,
		Title:       "Describe a GraphQL schema",
		Told:        map[string]string{argSource: "See " + toolCreate},
		Description: "Data sets of a data source (metrics are sums, events single records) with their arguments, or what one tipo holds; for run_graphql_query.",
	}, `"tipo":{"type":"string","description":"a type or data set"}`, []string{"dataSource"}, q.describe)
}

func (q *queries) describe(ctx context.Context, c *call.Call) (*call.Answer, error) {
	a, err := q.ask(ctx, c)
	if err != nil {
		return nil, err
	}
	value := map[string]any{"dataSource": a.name, "endpoint": a.endpoint}
	name := argument(c, "tipo")
	if name == "" {
		value["esquema"], value["tipos"] = a.schema.Overview(), a.schema.Types()
		return &call.Answer{Value: value}, nil
	}
	text, ok := a.schema.Describe(name)
	if !ok {
		text = a.schema.PartOf(name)
	}
	if text == "" {
		all := append(a.schema.Types(), a.schema.DataSets()...)
		return nil, problem.New(problem.ParametroInvalido, "%s has no type or data set %s.", a.name, name).
			ToDo("Take one of detalle.candidatos, or call without tipo to see them all.").
			Field("tipo", problem.Sentence{Format: "is unknown"}).With("candidatos", append([]string{}, gql.Nearest(name, all)...))
	}
	value["tipo"], value["esquema"] = name, text
	return &call.Answer{Value: value}, nil
}
