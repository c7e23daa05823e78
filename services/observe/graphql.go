package observe

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/pkg/telemetry/mask"
	"github.com/comporta-mcp/comporta/services/observe/internal/compose"
	"github.com/comporta-mcp/comporta/services/observe/internal/gql"
	"github.com/comporta-mcp/comporta/services/observe/internal/model"
	"github.com/comporta-mcp/comporta/services/observe/internal/source"
)

// queries is what the three GraphQL tools share.
type queries struct {
	cfg      GraphQL
	sources  *source.Sources
	composer *compose.Composer // nil: there is no model
	masker   *mask.Masker
}

// Names of the tools; each is in the file of its name.
const (
	toolDescribe = "describe_graphql_schema"
	toolRun      = "run_graphql_query"
	toolCreate   = "create_graphql_query"
)

// everything: figures and events are of the whole account, and a query may count
// them by anything, so that no check of it could hold it to some resources.
var everything = []string{catalog.EveryKind}

// argSource is told by create_graphql_query for all three.
const argSource = "dataSource"

// graphQLTools makes the tools that ask the platform's GraphQL.
func graphQLTools(cfg GraphQL, deps host.Deps) ([]host.Tool, error) {
	masker, err := mask.New()
	if err != nil {
		return nil, err
	}
	q := &queries{cfg: cfg, masker: masker, sources: source.New(deps.Platform, cfg.Path, cfg.SchemaLife, deps.Now)}
	if cfg.Model.Given() {
		q.composer = &compose.Composer{
			Model: model.New(cfg.Model), Attempts: cfg.Attempts, Total: cfg.Total, Now: deps.Now, Sleep: sleep,
			Failed: func(ctx context.Context, err error) {
				deps.Log.WarnContext(ctx, "the language model did not answer", "error", err)
			},
		}
	}
	var tools []host.Tool
	for _, make := range []func() (host.Tool, error){q.describeTool, q.runTool, q.createTool} {
		tool, err := make()
		if err != nil {
			return nil, err
		}
		tools = append(tools, tool)
	}
	return tools, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// tool completes what the three have in common: they read, in one company.
func (q *queries) tool(meta catalog.Tool, properties string, required []string, run call.Handler) (host.Tool, error) {
	meta.Area, meta.Profiles = "observe", []string{graphql.Name}
	meta.Effect, meta.Idempotent, meta.Company = catalog.Read, true, true
	names, err := json.Marshal(source.Names)
	if err != nil {
		return host.Tool{}, err
	}
	needed, err := json.Marshal(required)
	if err != nil {
		return host.Tool{}, err
	}
	schema := fmt.Sprintf(`{"type":"object","properties":{%s,"dataSource":{"type":"string","enum":%s}},"required":%s}`,
		properties, names, needed)
	t, err := catalog.HandTool(meta, json.RawMessage(schema), nil)
	if err != nil {
		return host.Tool{}, fmt.Errorf("make the tool %s: %w", meta.Name, err)
	}
	return host.Tool{Tool: t, Run: run}, nil
}

// asked is a call of one of the tools: its data source and what is known of it.
type asked struct {
	name     string
	who      source.Asker
	endpoint string
	schema   *gql.Schema
}

func (q *queries) ask(ctx context.Context, c *call.Call) (*asked, error) {
	a := &asked{name: argument(c, "dataSource"), who: source.Asker{Authorization: c.Company.Authorization, CompanyID: c.Company.ID}}
	var err error
	if a.endpoint, err = q.sources.Endpoint(a.name); err != nil {
		return nil, err
	}
	if a.schema, err = q.sources.Schema(ctx, a.who, a.name); err != nil {
		c.Trace.Upstream = problem.As(err).Upstream
		return nil, err
	}
	return a, nil
}

func argument(c *call.Call, name string) string {
	text, _ := c.Args[name].(string)
	return text
}

// wrongQuery refuses a query by what is wrong with it, and shows the part of the
// schema that mends it.
func wrongQuery(a *asked, faults, types []string) *problem.Problem {
	p := problem.New(problem.ParametroInvalido, "The query cannot be run on %s.", a.name).
		ToDo("Correct what detalle.fields says, with the types in detalle.esquema or from describe_graphql_schema, and call again.").
		With("fields", map[string]string{"graphql": strings.Join(faults, "; ")})
	const most = 6_000 // bytes: some types, not the whole schema
	if part := a.schema.Part(most, slices.Concat(types, a.schema.Mentioned(strings.Join(faults, " ")))...); part != "" {
		p.With("esquema", part)
	}
	return p
}
