package gql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

// Bounds of a query. What an endpoint documents lies far below; a query beyond
// them is a mistake, or an attempt to be expensive.
const (
	maxBytes   = 20_000
	maxTokens  = 4_000
	maxDepth   = 12  // selections inside selections
	maxFields  = 400 // fields after every fragment is put in its place
	maxRoots   = 6   // data sets asked at once, under whatever aliases
	maxFaults  = 8   // faults that are told of one query
	maxMessage = 400 // characters of one fault
)

// Refused is a query that is not sent, with everything that is wrong with it.
type Refused struct {
	Faults []string
	// Types are those of the schema that the faults are about.
	Types []string
}

func (r *Refused) Error() string { return strings.Join(r.Faults, "; ") }

func refuse(format string, args ...any) *Refused {
	return &Refused{Faults: []string{fmt.Sprintf(format, args...)}}
}

// Check reports why a text may not be sent as a query with these variables; its
// error is a *Refused.
func (s *Schema) Check(text string, variables map[string]any) error {
	operation, document, err := parse(text)
	if err != nil {
		return err
	}
	if err := bounded(document, operation); err != nil {
		return err
	}
	// Bounded first: some rules compare every field with every other one.
	if faults := validator.ValidateWithRules(s.types, document, nil); len(faults) > 0 {
		return s.refusal(faults)
	}
	if _, err := validator.VariableValues(s.types, operation, variables); err != nil {
		return refuse("variables: %s", clip(err.Error()))
	}
	for name := range variables {
		if !slices.ContainsFunc(operation.VariableDefinitions, func(v *ast.VariableDefinition) bool { return v.Variable == name }) {
			return refuse("variables: the query declares no $%s", name)
		}
	}
	return nil
}

// parse reads a text that must be exactly one query.
func parse(text string) (*ast.OperationDefinition, *ast.QueryDocument, error) {
	if len(text) > maxBytes {
		return nil, nil, refuse("the query has %d bytes; at most %d are sent", len(text), maxBytes)
	}
	document, err := parser.ParseQueryWithTokenLimit(&ast.Source{Name: "query", Input: text}, maxTokens)
	if err != nil {
		return nil, nil, refuse("this is no GraphQL query: %s", clip(err.Error()))
	}
	if len(document.Operations) != 1 {
		return nil, nil, refuse("there must be exactly one operation, not %d", len(document.Operations))
	}
	operation := document.Operations[0]
	if operation.Operation != ast.Query {
		return nil, nil, refuse("only queries are sent, never a %s", operation.Operation)
	}
	return operation, document, nil
}

// refusal tells the first faults, and which types they are about.
func (s *Schema) refusal(faults gqlerror.List) *Refused {
	refused := &Refused{}
	for _, f := range faults[:min(len(faults), maxFaults)] {
		refused.Faults = append(refused.Faults, located(f))
		refused.Types = append(refused.Types, s.Mentioned(f.Message)...)
	}
	slices.Sort(refused.Types)
	refused.Types = slices.Compact(refused.Types)
	return refused
}

func located(f *gqlerror.Error) string {
	message := clip(f.Message)
	if len(f.Locations) > 0 {
		return fmt.Sprintf("line %d: %s", f.Locations[0].Line, message)
	}
	return message
}

func clip(text string) string {
	if runes := []rune(text); len(runes) > maxMessage {
		return string(runes[:maxMessage-1]) + "…"
	}
	return text
}

// Canonical is the one query of a text as its parser understood it, without the
// comments and whatever else stood around it.
func Canonical(text string) (string, error) {
	_, document, err := parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	formatter.NewFormatter(&b, formatter.WithIndent("  ")).FormatQueryDocument(document)
	return strings.TrimSpace(b.String()), nil
}
