package host

import (
	"strings"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// preview answers a dry run: the request as it would be sent. Who calls with a
// personal token sees that very token, as the seed wants; the credential behind
// an OAuth link is never the agent's to see.
func (g *Gate) preview(c *call.Call) (*call.Answer, error) {
	if c.Tool.Binding == nil {
		return nil, problem.New(problem.ParametroInvalido, "%s cannot be tried without effect.", c.Tool.Name).
			Field("dry_run", problem.Sentence{Format: "is not possible for this tool"})
	}
	request := requestFor(c)
	request.Args = answer.MaskArguments(c.Tool, c.Args)
	p, err := g.wiring.Platform.Preview(request)
	if err != nil {
		return nil, err
	}
	own := c.Principal.Link.Scheme == identity.Token && !c.Tool.Binding.Foreign
	value := map[string]any{
		"dry_run":     true,
		"method":      p.Method,
		"url":         p.URL,
		"headers":     headersOf(p, c, own),
		"body":        p.Body,
		"advertencia": problem.Sentence{Format: "Nothing was sent. The credential and secret fields are hidden."}.String(),
	}
	if own {
		value["advertencia"] = problem.Sentence{Format: "Nothing was sent. The headers hold your own token: remove it before you share this."}.String()
	}
	return &call.Answer{Value: answer.Shape(bare, value, answer.Page{})}, nil
}

// headersOf hides the credential, wherever the platform wants it, unless it is the caller's own.
func headersOf(p *platform.Preview, c *call.Call, own bool) map[string]any {
	credential := string(c.Company.Authorization)
	headers := make(map[string]any, len(p.Headers))
	for name, value := range p.Headers {
		if !own && (strings.EqualFold(name, "Authorization") || credential != "" && strings.Contains(value, credential)) {
			value = answer.Redacted
		}
		headers[name] = value
	}
	return headers
}
