package observe

import "github.com/comporta-mcp/comporta/services/observe/internal/model"

// Config is what observe-mcp has to set beside what every host has.
type Config struct {
	GraphQL GraphQL `key:"graphql"`
}

// GraphQL is the settings of the tools that ask the platform's GraphQL.
type GraphQL struct {
	// Model writes queries for create_graphql_query.
	Model model.Config
}

// Defaults are the values for production; there is no model.
func Defaults() Config {
	return Config{GraphQL: GraphQL{Model: model.Defaults()}}
}
