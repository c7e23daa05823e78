package observe

import (
	"errors"
	"fmt"
	"time"

	"github.com/comporta-mcp/comporta/services/observe/internal/compose"
	"github.com/comporta-mcp/comporta/services/observe/internal/model"
	"github.com/comporta-mcp/comporta/services/observe/internal/source"
)

// Config is what observe-mcp has to set beside what every host has.
type Config struct {
	GraphQL GraphQL `key:"graphql"`
}

// GraphQL is the settings of the tools that ask the platform's GraphQL.
type GraphQL struct {
	// Path is where the data sources are.
	Path source.Paths
	// Model writes queries for create_graphql_query.
	Model model.Config

	Attempts int `help:"how often the model is asked for one goal, at most 6"`
	// Total ends create_graphql_query before the host ends the call.
	Total         time.Duration `help:"longest time for all attempts of one create_graphql_query; less than call-timeout"`
	SchemaLife    time.Duration `help:"how long a data source's schema is believed before it is asked for again"`
	Documentation string        `help:"address of the platform's documentation of GraphQL, for answers that point there"`
}

// Validate lists the faults of the GraphQL tools' own settings.
func (g GraphQL) Validate() error {
	var faults []error
	if g.Attempts < 1 || g.Attempts > compose.MostAttempts {
		faults = append(faults, fmt.Errorf("attempts must be 1 to %d, not %d", compose.MostAttempts, g.Attempts))
	}
	if g.Total <= 0 || g.SchemaLife < 0 {
		faults = append(faults, errors.New("total must be longer than 0 and schema-life not negative"))
	}
	return errors.Join(faults...)
}

// Defaults are the values for production; there is no model.
func Defaults() Config {
	return Config{GraphQL: GraphQL{
		Path:          source.DefaultPaths(),
		Model:         model.Defaults(),
		Attempts:      compose.MostAttempts,
		Total:         60 * time.Second,
		SchemaLife:    5 * time.Minute,
		Documentation: "https://www.azion.com/en/documentation/devtools/graphql-api/",
	}}
}
