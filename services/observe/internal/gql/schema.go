// Package gql owns what is known of one GraphQL endpoint: its schema, as
// introspection tells it, which queries may be sent there, and how parts of the
// schema are told to an agent or a model. It sends nothing itself.
//
// Nothing but a query passes Check: whoever wrote the text, a person, an agent or
// a language model, what leaves is one parsed and validated read.
package gql

import (
	"encoding/json"
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

// Introspection asks an endpoint for its schema.
const Introspection = `query IntrospectionQuery {
  __schema {
    queryType { name } mutationType { name } subscriptionType { name }
    types {
      kind name description
      fields(includeDeprecated: true) {
        name description isDeprecated deprecationReason
        args { ...Value }
        type { ...Type }
      }
      inputFields { ...Value }
      interfaces { ...Type }
      enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
      possibleTypes { ...Type }
    }
  }
}
fragment Value on __InputValue { name description type { ...Type } defaultValue }
fragment Type on __Type {
  kind name
  ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } }
}`

// Schema is the types of one endpoint. It is read-only.
type Schema struct{ types *ast.Schema }

// ReadSchema reads the answer to Introspection: the object under "data". The
// mutations and subscriptions of an endpoint are left out, so that nothing which
// knows this schema knows them.
func ReadSchema(data any) (*Schema, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return nil, fmt.Errorf("read a schema: %w", err)
	}
	var told struct {
		Schema told `json:"__schema"`
	}
	if err := json.Unmarshal(text, &told); err != nil {
		return nil, fmt.Errorf("read a schema: %w", err)
	}
	prelude, err := parser.ParseSchema(validator.Prelude)
	if err != nil {
		return nil, fmt.Errorf("read the built-in types: %w", err)
	}
	document, err := told.Schema.document(prelude)
	if err != nil {
		return nil, err
	}
	types, err := validator.ValidateSchemaDocument(document)
	if err != nil {
		return nil, fmt.Errorf("the endpoint's schema does not hold together: %w", err)
	}
	return &Schema{types}, nil
}
