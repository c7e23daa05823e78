package host

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxCompletions is the protocol's bound on the values of one answer.
const maxCompletions = 100

// completer is nil for an area that has nothing to complete, so that it does not
// advertise what it cannot do.
func (g *Gate) completer() func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	if len(g.templates) == 0 {
		return nil
	}
	return g.complete
}

// complete answers completion/complete: the values of a template's variable that
// begin with what was typed. What has no values gets an empty list.
func (g *Gate) complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	details := mcp.CompletionResultDetails{Values: []string{}}
	for _, value := range g.completions(req.Params) {
		if !strings.HasPrefix(value, req.Params.Argument.Value) {
			continue
		}
		details.Total++
		if len(details.Values) < maxCompletions {
			details.Values = append(details.Values, value)
		}
	}
	details.HasMore = details.Total > len(details.Values)
	return &mcp.CompleteResult{Completion: details}, nil
}

func (g *Gate) completions(p *mcp.CompleteParams) []string {
	if p.Ref == nil || p.Ref.Type != "ref/resource" {
		return nil
	}
	var chosen map[string]string
	if p.Context != nil {
		chosen = p.Context.Arguments
	}
	for _, t := range g.templates {
		if t.URI == p.Ref.URI && t.Complete != nil {
			return t.Complete(p.Argument.Name, chosen)
		}
	}
	return nil
}
