// Package graph is the platform's GraphQL over the sandbox's own traffic: four
// endpoints, each with its data sets, their filters, groups, aggregates and
// orders in the argument style that the platform documents. The data sets are
// data (datasets.go); everything else walks them.
package graph

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/graphql-go/graphql"
	"github.com/graphql-go/graphql/gqlerrors"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/traffic"
)

// Limits that the platform documents.
const (
	maxRows      = 10_000
	defaultRows  = 10
	maxSelection = 37 // fields of one data set
)

// API is the endpoints.
type API struct {
	schemas map[string]graphql.Schema // by path
}

// Asker is for whom a query runs.
type Asker struct {
	Company int64
	Log     *traffic.Log
}

// New makes the endpoints. Its error is a fault of this package.
func New() (*API, error) {
	a := &API{schemas: map[string]graphql.Schema{}}
	for path, sets := range endpoints {
		schema, err := schemaOf(sets)
		if err != nil {
			return nil, fmt.Errorf("the schema of %s: %w", path, err)
		}
		a.schemas[path] = schema
	}
	return a, nil
}

// Serves reports whether a path is one of the endpoints.
func (a *API) Serves(path string) bool {
	_, ok := a.schemas[path]
	return ok
}

// request is a GraphQL request over HTTP.
type request struct {
	Query         string         `json:"query"`
	OperationName string         `json:"operationName"`
	Variables     map[string]any `json:"variables"`
}

// Answer runs the query of a POST body and gives status and body.
func (a *API) Answer(who Asker, path string, body []byte) (int, []byte) {
	var r request
	if err := json.Unmarshal(body, &r); err != nil || r.Query == "" {
		return encode(http.StatusBadRequest, &graphql.Result{Errors: gqlerrors.FormatErrors(
			fmt.Errorf("the body must be a JSON object with the query as text"))})
	}
	result := graphql.Do(graphql.Params{
		Schema: a.schemas[path], RequestString: r.Query, OperationName: r.OperationName, VariableValues: r.Variables,
		RootObject: map[string]any{"": who},
	})
	status := http.StatusOK
	if result.HasErrors() {
		status = http.StatusBadRequest // for every fault of a query, as the platform documents
		result.Data = nil
	}
	return encode(status, result)
}

func encode(status int, result *graphql.Result) (int, []byte) {
	body, err := json.Marshal(result)
	if err != nil {
		return http.StatusInternalServerError, []byte(`{"errors":[{"message":"the result cannot be encoded"}]}`)
	}
	return status, append(body, '\n')
}

// step is how finely the platform keeps metrics of an interval of this length.
func step(interval time.Duration) time.Duration {
	const day = 24 * time.Hour
	switch {
	case interval <= 3*day:
		return time.Minute
	case interval <= 60*day:
		return time.Hour
	}
	return day
}
