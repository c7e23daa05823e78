// Package source owns the platform's GraphQL endpoints: which there are, how a
// query is carried to one with the caller's own credential, and how long a schema
// that was asked for is believed. What a query may be is package gql's.
package source

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/services/observe/internal/gql"
)

// Names are the data sources, as contract §11 spells them.
var Names = []string{"real-time-metrics", "real-time-events", "accounting", "consumption"}

// Paths is where each data source is asked, below the platform's base URL.
type Paths struct {
	Metrics     string `help:"path of real-time-metrics below the platform's URL"`
	Events      string `help:"path of real-time-events below the platform's URL"`
	Accounting  string `help:"path of accounting below the platform's URL"`
	Consumption string `help:"path of consumption below the platform's URL"`
}

// DefaultPaths are those of the platform's documentation.
func DefaultPaths() Paths {
	return Paths{"/metrics/graphql", "/events/graphql", "/accounting/graphql", "/consumption/graphql"}
}

// Validate lists every fault.
func (p Paths) Validate() error {
	var faults []error
	for i, path := range p.inOrder() {
		if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "?#{} ") {
			faults = append(faults, fmt.Errorf("the path of %s must begin with / and hold no query, not %q", Names[i], path))
		}
	}
	return errors.Join(faults...)
}

// inOrder is the paths in the order of Names.
func (p Paths) inOrder() []string { return []string{p.Metrics, p.Events, p.Accounting, p.Consumption} }

// Platform carries a request to the platform.
type Platform interface {
	Preview(platform.Request) (*platform.Preview, error)
	Do(context.Context, platform.Request) (*platform.Answer, error)
}

// Asker is for whom an endpoint is asked.
type Asker struct {
	Authorization identity.Secret
	CompanyID     int64
}

// Sources are the endpoints of one platform. They are safe for concurrent use.
type Sources struct {
	platform Platform
	tools    map[string]*catalog.Tool // by data source
	life     time.Duration
	now      func() time.Time

	mu    sync.Mutex
	known map[string]known
}

// known is a schema and when it was asked for.
type known struct {
	schema *gql.Schema
	at     time.Time
}

// New makes the sources; a schema is asked for again when it is older than life.
func New(p Platform, paths Paths, life time.Duration, now func() time.Time) *Sources {
	s := &Sources{platform: p, tools: map[string]*catalog.Tool{}, life: life, now: now, known: map[string]known{}}
	for i, path := range paths.inOrder() {
		s.tools[Names[i]] = endpoint(path)
	}
	return s
}

// endpoint is a data source as the platform's client sees it: a read, though by POST.
func endpoint(path string) *catalog.Tool {
	return &catalog.Tool{
		Name: "GraphQL", Effect: catalog.Read,
		Binding: &catalog.Binding{
			Method: "POST", Path: path, Accepts: "application/json",
			Body: &catalog.Body{MediaType: "application/json", Required: true, Fields: []string{"query", "variables"}},
			Auth: catalog.Auth{In: catalog.Header, Name: "Authorization"},
		},
	}
}

// Answer is what an endpoint answered to a query.
type Answer struct {
	Status int
	Data   any
	// Errors are the endpoint's messages, where it could not do all of the query.
	Errors []string
}

// Endpoint is the URL of a data source.
func (s *Sources) Endpoint(name string) (string, error) {
	preview, err := s.platform.Preview(platform.Request{Tool: s.tools[name], Args: map[string]any{"query": ""}})
	if err != nil {
		return "", err
	}
	return preview.URL, nil
}

// Run sends a checked query. Its error is a *problem.Problem: the endpoint was
// not reached, or refuses the person. What it finds wrong with the query itself
// stands in the answer's Errors.
func (s *Sources) Run(ctx context.Context, who Asker, name, query string, variables map[string]any) (*Answer, error) {
	args := map[string]any{"query": query}
	if len(variables) > 0 {
		args["variables"] = variables
	}
	got, err := s.platform.Do(ctx, platform.Request{
		Tool: s.tools[name], Args: args, Authorization: who.Authorization, CompanyID: who.CompanyID,
	})
	if refused, ok := errors.AsType[*problem.Problem](err); ok && refused.Code == problem.ParametroInvalido {
		return &Answer{Status: refused.Upstream, Errors: []string{refused.What.String()}}, nil
	}
	if err != nil {
		return nil, err
	}
	return &Answer{Status: got.Status, Data: got.Value["data"], Errors: messages(got.Value["errors"])}, nil
}

// messages reads the errors of a GraphQL answer; at most ten help anybody.
func messages(errors any) []string {
	list, _ := errors.([]any)
	var texts []string
	for _, one := range list[:min(len(list), 10)] {
		object, _ := one.(map[string]any)
		text, _ := object["message"].(string)
		texts = append(texts, cmp.Or(text, "an error without a message"))
	}
	return texts
}

// Schema is what a data source can be asked. It differs between data sources and
// not between companies, so the first one who needs it asks for all.
func (s *Sources) Schema(ctx context.Context, who Asker, name string) (*gql.Schema, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("there is no data source %q", name)
	}
	s.mu.Lock()
	found, ok := s.known[name]
	s.mu.Unlock()
	if ok && s.now().Sub(found.at) < s.life {
		return found.schema, nil
	}
	answer, err := s.Run(ctx, who, name, gql.Introspection, nil)
	if err != nil {
		return nil, err
	}
	schema, err := gql.ReadSchema(answer.Data)
	if err != nil {
		return nil, problem.New(problem.EstadoInvalido, "The data source %s does not tell its schema.", name).
			ToDo("Wait reintentar_en_segundos and call again; if it keeps failing, tell the person that the platform has trouble.").
			After(30 * time.Second).From(answer.Status).Wrap(errors.Join(err, told(answer.Errors)))
	}
	s.mu.Lock()
	s.known[name] = known{schema, s.now()}
	s.mu.Unlock()
	return schema, nil
}

// told is the endpoint's messages as a cause for the log.
func told(messages []string) error {
	if len(messages) == 0 {
		return nil
	}
	text, _ := json.Marshal(messages)
	return fmt.Errorf("the endpoint says %s", text)
}
