package host_test

import (
	"net/http"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/comporta-mcp/comporta/pkg/host"
)

func TestACallBelongsToTheTraceThatItsClientNames(t *testing.T) {
	const (
		inHeader = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
		inMeta   = "00-11111111111111111111111111111111-2222222222222222-01"
	)
	for _, c := range []struct {
		name, header, meta string
		trace              string // of the call; "": a new one
		parent             string // of the call; "": the request's own span
		linked             bool
	}{
		{"no trace is named", "", "", "", "", false},
		{"the header names one", inHeader, "", inHeader[3:35], "", false},
		{"_meta names one: the request is linked to it", "", inMeta, inMeta[3:35], inMeta[36:52], true},
		{"both name the same", inMeta, inMeta, inMeta[3:35], inMeta[36:52], false},
		{"what _meta names is no trace", inHeader, "garbage", inHeader[3:35], "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			spans := tracetest.NewSpanRecorder()
			tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test")
			d := open(t, func(_ *host.Area, _ *host.Config, w *host.Wiring) { w.Tracer = tracer })
			d.send(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_ship",
				"arguments":{"name":"x"},"_meta":{"traceparent":"`+c.meta+`"}}}`, asReader, "Traceparent: "+c.header)

			request, call := named(t, spans, "POST /mcp"), named(t, spans, "tools/call create_ship")
			if parent := named(t, spans, "authenticate").Parent().SpanID(); parent != request.SpanContext().SpanID() {
				t.Errorf("authentication is under %s, want the request", parent)
			}
			want, parent := c.trace, c.parent
			if want == "" {
				want = request.SpanContext().TraceID().String()
			}
			if parent == "" {
				parent = request.SpanContext().SpanID().String()
			}
			if got := call.SpanContext().TraceID().String(); got != want {
				t.Errorf("the call is in the trace %s, want %s", got, want)
			}
			if got := call.Parent().SpanID().String(); got != parent {
				t.Errorf("the call is under %s, want %s", got, parent)
			}
			if linked := len(call.Links()) == 1 && call.Links()[0].SpanContext.SpanID() == request.SpanContext().SpanID(); linked != c.linked {
				t.Errorf("links %v, want one: %v", call.Links(), c.linked)
			}
			attributes := attribute.NewSet(call.Attributes()...)
			if outcome, _ := attributes.Value("comporta.outcome"); outcome.AsString() != "sin_permiso" {
				t.Errorf("outcome %q", outcome.AsString())
			}
		})
	}
}

func TestARequestForNothingIsTracedWithoutItsPath(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test")
	d := open(t, func(_ *host.Area, _ *host.Config, w *host.Wiring) { w.Tracer = tracer })
	d.send(http.MethodPost, "/some/path/CANARY", "{}", asMember)
	named(t, spans, "HTTP")
}

// named is the one span of this name. The request's own ends after its answer is
// on its way, so it is waited for.
func named(t *testing.T, spans *tracetest.SpanRecorder, name string) sdktrace.ReadOnlySpan {
	t.Helper()
	var found []sdktrace.ReadOnlySpan
	for deadline := time.Now().Add(5 * time.Second); len(found) == 0 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		for _, s := range spans.Ended() {
			if s.Name() == name {
				found = append(found, s)
			}
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d spans %q of %v", len(found), name, spans.Ended())
	}
	return found[0]
}
