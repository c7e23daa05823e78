package host

import (
	"context"
	"encoding/json"
	"time"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// callTool carries a tools/call out and gives the bytes of its result. The
// refusal is for a call that is none: no such tool in this profile.
func (g *Gate) callTool(ctx context.Context, rq *request) ([]byte, *rpcErrorBody) {
	var params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(rq.message.params, &params); err != nil {
		return nil, &rpcErrorBody{Code: codeInvalidParams, Message: "Invalid params"}
	}
	tool, ok := g.find(rq.profile, params.Name)
	if !ok {
		return nil, g.unknownTool(ctx, rq, params.Name)
	}
	begin := g.newCall
	if tool.Name == toolRun {
		begin = g.innerCall
	}
	c, asked := begin(rq, tool, params.Arguments)
	asked.elicits, asked.retry = rq.elicits(), rq.retryOf()
	body, err := g.run(ctx, rq, tool, c, asked)
	if err != nil {
		g.wiring.Log.ErrorContext(ctx, "a result cannot be encoded", "call", c.ID, "tool", c.Tool.Name, "error", err)
		return nil, &rpcErrorBody{Code: codeInternal, Message: "Internal error"}
	}
	return scrub(body, c), nil
}

// unknownTool counts a call that is none against the limit of other requests. The
// audit knows it as a refusal: the name is the caller's and may be anything.
func (g *Gate) unknownTool(ctx context.Context, rq *request, name string) *rpcErrorBody {
	g.metrics.unknown.Inc()
	g.wiring.Refused(ctx, Refusal{
		Profile: rq.profile.Name, Address: rq.caller.address, Principal: rq.caller.principal, Status: 200, Message: "Unknown tool",
	})
	if wait := g.wiring.Others(ctx, rq.caller.linkID()); wait > 0 {
		return &rpcErrorBody{Code: codeTooMany, Message: "Too many requests"}
	}
	return &rpcErrorBody{Code: codeInvalidParams, Message: "Unknown tool: " + short(name) + g.hint(rq, name)}
}

// find looks a tool up in the profile. A tool that no agent may call is in no
// profile, but who calls it anyway learns why it refuses.
func (g *Gate) find(p *profile, name string) (Tool, bool) {
	if t, ok := p.tool(name); ok {
		return t, true
	}
	for _, t := range g.never {
		if t.Name == name {
			return Tool{Tool: t}, true
		}
	}
	return Tool{}, false
}

// newCall makes the call from its raw arguments. What is wrong with them is kept
// in asked, since a call with wrong arguments is still one that counts.
func (g *Gate) newCall(rq *request, tool Tool, raw json.RawMessage) (*call.Call, *asked) {
	now := g.wiring.Now()
	c := &call.Call{
		ID:        operation.NewID(now),
		At:        now,
		Area:      g.area.Name,
		Profile:   rq.profile.Name,
		Address:   rq.caller.address,
		Tool:      tool.Tool,
		Principal: rq.caller.principal,
	}
	return c, readArguments(c, raw)
}

// run sends the call through the stages and turns what comes back into bytes.
func (g *Gate) run(ctx context.Context, rq *request, tool Tool, c *call.Call, a *asked) ([]byte, error) {
	ctx, traced := g.traceCall(ctx, rq, c)
	ctx, cancel := context.WithTimeout(ctx, g.cfg.CallTimeout)
	defer cancel()
	ctx, ended := g.inflight.begin(ctx, callKey{rq.caller.linkID(), string(rq.message.id)})
	defer ended()

	g.metrics.inFlight.Inc()
	began := time.Now()
	result, err := g.guarded(withAsked(ctx, a), c)
	g.metrics.inFlight.Dec()
	g.metrics.called(c, err, time.Since(began))
	traced(err)
	switch {
	case err == nil && result.Ask != nil:
		return g.asks(rq, result.Ask)
	case err == nil:
		return g.resultOf(rq, result)
	}
	// The audit logs what is unexpected; what is no problem.Problem becomes one
	// whose sentences were made for callers.
	return g.errorOf(rq, answer.Problem(problem.As(err), c.ID, rq.lang))
}

// short bounds what of a caller's text is said back.
func short(s string) string {
	const most = 64
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most]) + "…"
}
