package host

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// newServer makes the one MCP server that a profile has for all callers. What
// differs per caller happens in middleware; tools are not even registered, since
// go-sdk would check and list them by itself.
func (g *Gate) newServer(p *profile) *mcp.Server {
	server := mcp.NewServer(g.implementation(p), &mcp.ServerOptions{
		Instructions: strings.TrimSpace(p.Instructions + "\n\n" + catalog.Guide(g.cfg.ResourceScheme)),
		// Said out loud, since the default advertises deprecated logging. Nothing
		// here changes while a client looks, so there is no listChanged.
		Capabilities: &mcp.ServerCapabilities{
			Tools:     &mcp.ToolCapabilities{},
			Resources: &mcp.ResourceCapabilities{},
			Prompts:   &mcp.PromptCapabilities{},
		},
		CompletionHandler: g.completer(),
		SetCacheable:      func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = cacheScope },
		Logger:            slog.New(slog.DiscardHandler), // it logs ordinary mistakes of clients as errors
	})
	g.addResources(server, p)
	server.AddReceivingMiddleware(g.callers)
	return server
}

// cacheScope: what is listed depends on the caller.
const cacheScope = "private"

func (g *Gate) implementation(p *profile) *mcp.Implementation {
	name := g.area.Name + "-mcp"
	if p.Name != "" {
		name += "/" + p.Name
	}
	return &mcp.Implementation{Name: name, Title: p.Title, Version: g.area.Version}
}

// newTransports makes the two HTTP handlers over one server.
func newTransports(server *mcp.Server, maxBody int64) (jsonLane, streamLane http.Handler) {
	get := func(*http.Request) *mcp.Server { return server }
	options := mcp.StreamableHTTPOptions{
		Stateless:                    true,
		PropagateRequestCancellation: true,
		MaxRequestBodyBytes:          maxBody,
		// The door checked Host by its own list, which knows proxies.
		DisableLocalhostProtection: true,
	}
	streamLane = mcp.NewStreamableHTTPHandler(get, &options)
	options.JSONResponse = true
	return mcp.NewStreamableHTTPHandler(get, &options), streamLane
}

// callers is the middleware that knows who calls. It answers what depends on
// that and lets go-sdk do the rest.
func (g *Gate) callers(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		rq, ok := requestOf(ctx)
		if !ok || rq.caller.principal == nil {
			return nil, &jsonrpc.Error{Code: codeInternal, Message: "Internal error"}
		}
		switch method {
		case methodList:
			return wireResult(g.list(rq))
		case methodCall:
			return g.streamedCall(ctx, rq, req)
		}
		result, err := next(ctx, method, req)
		return result, g.publicError(ctx, method, err)
	}
}

// streamedCall runs a call whose caller gets a stream. Without a session nobody
// can fetch the answer later, so a client that went away ends its call.
func (g *Gate) streamedCall(ctx context.Context, rq *request, req mcp.Request) (mcp.Result, error) {
	if rq.gone != nil {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(rq.gone, func() { cancel(errGone) })()
	}
	if session, ok := req.GetSession().(*mcp.ServerSession); ok && rq.message.wantsProgress() {
		defer g.reportProgress(ctx, session, rq.message.meta.ProgressToken)()
	}
	return wireResult(g.callTool(ctx, rq))
}

// publicError lets only errors that were made for the wire through.
func (g *Gate) publicError(ctx context.Context, method string, err error) error {
	if err == nil {
		return nil
	}
	if wire, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return withJSONData(wire)
	}
	g.wiring.Log.ErrorContext(ctx, "an MCP method failed", "method", method, "error", err)
	return &jsonrpc.Error{Code: codeInternal, Message: "Internal error"}
}

// withJSONData drops data that is no JSON: go-sdk quotes a resource's address as Go
// does, and an error that cannot be written would be an answer without a body.
func withJSONData(wire *jsonrpc.Error) *jsonrpc.Error {
	if len(wire.Data) == 0 || json.Valid(wire.Data) {
		return wire
	}
	clean := *wire
	clean.Data = nil
	return &clean
}

// rawResult is a result whose bytes are finished.
type rawResult struct {
	mcp.ResultBase
	body json.RawMessage
}

// MarshalJSON gives the finished bytes; what go-sdk would add is in them already.
func (r *rawResult) MarshalJSON() ([]byte, error) { return r.body, nil }

// wireResult turns a result or a refusal into go-sdk's forms.
func wireResult(body []byte, refusal *rpcErrorBody) (mcp.Result, error) {
	if refusal != nil {
		return nil, &jsonrpc.Error{Code: int64(refusal.Code), Message: refusal.Message}
	}
	return &rawResult{body: body}, nil
}
