package host

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// addResources registers what resources/read serves in a profile.
func (g *Gate) addResources(server *mcp.Server, p *profile) {
	scheme := g.cfg.ResourceScheme + "://"
	server.AddResource(&mcp.Resource{
		URI: scheme + "contexto-inicial", Name: "contexto-inicial", Title: "Initial context",
		Description: "For whom you act and what you may do: the answer of " + toolContext + ".",
		MIMEType:    "application/json",
	}, g.readContext)
	server.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: scheme + "schemas/{tool}", Name: "schemas", Title: "Schemas of a tool",
		Description: "The complete input and output schemas of a tool, where tools/list tells them in short.",
		MIMEType:    "application/json",
	}, func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return g.readSchemas(ctx, p, req.Params.URI, strings.TrimPrefix(req.Params.URI, scheme+"schemas/"))
	})
	for _, t := range g.templates {
		server.AddResourceTemplate(&mcp.ResourceTemplate{
			URITemplate: t.URI, Name: t.Name, Title: t.Title, Description: t.Description, MIMEType: t.MIMEType,
		}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return nil, mcp.ResourceNotFoundError(req.Params.URI) // the members are listed, and read there
		})
	}
	for _, r := range g.resources {
		server.AddResource(&mcp.Resource{
			URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.MIMEType,
		}, g.reader(r))
	}
}

func (g *Gate) readContext(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	rq, ok := requestOf(ctx)
	if !ok {
		return nil, errors.New("a resource was read without a caller")
	}
	text, err := answer.Text(answer.Shape(bare, g.initialContext(rq.caller.principal), answer.Page{}))
	if err != nil {
		return nil, err
	}
	return contents(req.Params.URI, "application/json", text), nil
}

// readSchemas gives a visible tool's full schemas. One that the caller does not
// see does not exist for them.
func (g *Gate) readSchemas(ctx context.Context, p *profile, uri, name string) (*mcp.ReadResourceResult, error) {
	rq, ok := requestOf(ctx)
	if !ok {
		return nil, errors.New("a resource was read without a caller")
	}
	t, ok := p.tool(name)
	if p.Name == "" || p.Name == liteName {
		t, ok = g.byName[name] // what can be found can be read
	}
	if !ok || guard.Visible(rq.caller.principal, t.Tool) != nil {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	schemas := map[string]json.RawMessage{"inputSchema": t.Input.Full}
	if t.Output != nil {
		schemas["outputSchema"] = t.Output.Full
	}
	text, err := json.Marshal(schemas)
	if err != nil {
		return nil, err
	}
	return contents(uri, "application/json", string(text)), nil
}

// reader serves a resource of the area.
func (g *Gate) reader(r Resource) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		text, err := r.Read(ctx, req.Params.URI)
		if p, told := errors.AsType[*problem.Problem](err); told && p.Code != problem.Interno {
			if p.Code == problem.NoEncontrado {
				return nil, mcp.ResourceNotFoundError(req.Params.URI)
			}
			return nil, &jsonrpc.Error{Code: codeInternal, Message: p.What.String()}
		}
		if err != nil {
			return nil, err
		}
		return contents(req.Params.URI, r.MIMEType, text), nil
	}
}

func contents(uri, mimeType, text string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mimeType, Text: text}}}
}
