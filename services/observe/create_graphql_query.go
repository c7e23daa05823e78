package observe

import (
	"context"
	"fmt"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/services/observe/internal/compose"
	"github.com/comporta-mcp/comporta/services/observe/internal/source"
)

func (q *queries) createTool() (host.Tool, error) {
	return q.tool(catalog.Tool{
		Name:        toolCreate,
		Title:       "Create a GraphQL query",
		Description: "Answers a question in words: a language model writes the query. Without one it gives the schema, for run_graphql_query.",
		OpenWorld:   true,
		Untrusted:   []string{"resultado"},
		Every:       everything,
	}, `"query":{"type":"string","minLength":1,"maxLength":4000,"description":"with the time it is about; no secrets"}`,
		[]string{"query", "dataSource"}, q.create)
}

func (q *queries) create(ctx context.Context, c *call.Call) (*call.Answer, error) {
	a, err := q.ask(ctx, c)
	if err != nil {
		return nil, err
	}
	goal := q.withoutSecrets(c)
	if q.composer == nil {
		return q.schemaInstead(a, goal), nil
	}
	out, err := q.composer.Compose(ctx, compose.Goal{
		Text: goal, DataSource: a.name, Schema: a.schema,
		Run: func(ctx context.Context, query string) (*source.Answer, error) {
			got, err := q.sources.Run(ctx, a.who, a.name, query, nil)
			if err != nil {
				c.Trace.Upstream = problem.As(err).Upstream
				return nil, err
			}
			c.Trace.Upstream = got.Status
			return got, nil
		},
	})
	if out != nil {
		c.Trace.Derived = map[string]any{"graphql": out.Query, "intentos": out.Attempts}
	}
	switch {
	case err != nil:
		return nil, err
	case out.Answer == nil:
		return q.nothing(a, out), nil
	}
	return &call.Answer{Value: map[string]any{
		"graphql": out.Query, "endpoint": a.endpoint, "intentos": out.Attempts, "resultado": out.Answer.Data,
	}}, nil
}

// withoutSecrets is the goal as the model may see it: a credential in it, the
// caller's own above all, stays here.
func (q *queries) withoutSecrets(c *call.Call) string {
	goal := platform.Scrub([]byte(argument(c, "query")), c.Company.Authorization)
	return q.masker.Text(string(goal))
}

// nothing says that no attempt brought the information.
func (q *queries) nothing(a *asked, out *compose.Outcome) *call.Answer {
	why := "No query that the language model wrote worked"
	if out.Silent {
		why = "The language model did not answer"
	}
	return told(map[string]any{
		"texto": fmt.Sprintf("The information could not be obtained. %s (attempts: %d). Do not make a figure up. "+
			"Say it in other words, or write the query yourself with describe_graphql_schema and run_graphql_query on %s. Documentation: %s",
			why, out.Attempts, a.name, q.cfg.Documentation),
		"intentos": out.Attempts,
	}, "")
}

// schemaInstead is the answer where no language model is configured.
func (q *queries) schemaInstead(a *asked, goal string) *call.Answer {
	const most = 16_000 // bytes: the data sets that suit the goal best
	schema := a.schema.Overview() + a.schema.Part(most, a.schema.Relevant(goal)...)
	return told(map[string]any{
		"texto": fmt.Sprintf("No language model is configured here, so the query is yours to write: run it with run_graphql_query on %s. "+
			"The part of the schema that suits the question stands in esquema; describe_graphql_schema tells the rest. Documentation: %s",
			a.name, q.cfg.Documentation),
		"endpoint": a.endpoint,
		"esquema":  schema,
	}, schema)
}

// told is an answer that is read as a text.
func told(value map[string]any, more string) *call.Answer {
	text := fmt.Sprint(value["texto"])
	if more != "" {
		text += "\n\n" + more
	}
	return &call.Answer{Value: value, Text: text}
}
