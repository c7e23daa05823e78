package host

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// traceRequest begins the span of a request that must say who sends it: what
// auth and the platform are asked for its sake belongs to one trace.
func (g *Gate) traceRequest(r *http.Request, p *profile) (traced *http.Request, end func()) {
	name := "HTTP" // callers choose the other paths and methods: they are no names
	if p != nil && r.Method == http.MethodPost {
		name = "POST " + p.path
	}
	ctx, span := g.wiring.Tracer.Start(r.Context(), name, trace.WithSpanKind(trace.SpanKindServer))
	return r.WithContext(ctx), func() { span.End() }
}

// traceCall begins the span of a call. Where _meta names a trace of the client's,
// the call belongs to that one, and a link joins it to the request.
func (g *Gate) traceCall(ctx context.Context, rq *request, c *call.Call) (context.Context, func(error)) {
	options := []trace.SpanStartOption{
		trace.WithAttributes(attribute.String("mcp.tool", c.Tool.Name), attribute.String("comporta.call", c.ID)),
	}
	parent := remoteParent(ctx, rq.message.meta.Traceparent)
	if trace.SpanContextFromContext(parent).TraceID() != trace.SpanContextFromContext(ctx).TraceID() {
		options = append(options, trace.WithLinks(trace.LinkFromContext(ctx)))
	}
	ctx, span := g.wiring.Tracer.Start(parent, "tools/call "+c.Tool.Name, options...)
	return ctx, func(err error) {
		span.SetAttributes(attribute.String("comporta.outcome", outcomeOf(err)))
		span.End()
	}
}

// outcomeOf is a call's outcome in metrics and traces: "ok" or a problem's code.
func outcomeOf(err error) string {
	if p := problem.As(err); p != nil {
		return string(p.Code)
	}
	return "ok"
}

// traceparent is the running span in the form that travels with an operation.
func traceparent(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier["traceparent"]
}

// remoteParent continues the trace that a client names in _meta.
func remoteParent(ctx context.Context, traceparent string) context.Context {
	if traceparent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": traceparent})
}
