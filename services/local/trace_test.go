package local

import (
	"slices"
	"strings"
	"testing"

	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/comporta-mcp/comporta/pkg/telemetry/mask"
)

const (
	authenticateRPC = "auth.v1.AuthService/Authenticate"
	releaseRPC      = "auth.v1.AuthService/Release"
)

func TestTracesTellWhatCallsDidEverywhere(t *testing.T) {
	const theirs = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	c := collect(t)
	e := launch(t, fresh(t), tracedTo(c.url))
	e.ok("build", "member", "list_applications", nil, "Traceparent: "+theirs)
	begun := e.ok("build", "member", "create_workload", map[string]any{"name": "traced"})
	if op := e.followed("build", "member", begun); op["estado"] != "ok" {
		t.Fatalf("the operation failed: %v", op)
	}
	e.end() // sends what is left of the traces

	t.Run("a read is one trace through the host, auth and the platform", func(t *testing.T) {
		trace := forest{t, c.spans()}.of("build-mcp", "tools/call list_applications")
		request := trace.one("build-mcp", "POST /mcp")
		if request.trace() != theirs[3:35] || request.parent() != theirs[36:52] || request.GetKind() != tracev1.Span_SPAN_KIND_SERVER {
			t.Errorf("the request does not continue its client's trace: %v", request)
		}
		asked := trace.child(trace.child(request, "build-mcp", "authenticate"), "build-mcp", authenticateRPC)
		answered := trace.child(asked, "auth", authenticateRPC)
		var paths []string
		for _, s := range trace.children(answered, "auth", "HTTP GET") {
			paths = append(paths, s.attribute("url.full"))
		}
		slices.Sort(paths)
		if len(paths) != 2 || !strings.HasSuffix(paths[0], "/account/account") || !strings.HasSuffix(paths[1], "/identity/user") {
			t.Errorf("auth asked the platform %v", paths)
		}
		call := trace.child(request, "build-mcp", "tools/call list_applications")
		if url := trace.child(call, "build-mcp", "HTTP GET").attribute("url.full"); !strings.Contains(url, "/workspace/applications?") {
			t.Errorf("the host asked the platform %q", url)
		}
		trace.whole(request)
	})

	t.Run("an operation is one trace through the host, auth, the worker and the platform", func(t *testing.T) {
		trace := forest{t, c.spans()}.of("build-mcp", "tools/call create_workload")
		request := trace.one("build-mcp", "POST /mcp")
		trace.child(trace.child(trace.child(request, "build-mcp", "authenticate"), "build-mcp", authenticateRPC), "auth", authenticateRPC)
		call := trace.child(request, "build-mcp", "tools/call create_workload")

		var worked, sent, probed int
		turns := trace.children(call, "worker", "operation create_workload")
		for _, turn := range turns {
			if len(trace.children(turn, "worker", releaseRPC)) == 0 {
				// Delivery is at least once: one that comes too early or too late finds nothing to do.
				if asked := len(trace.children(turn, "worker", "HTTP GET")) + len(trace.children(turn, "worker", "HTTP POST")); asked > 0 {
					t.Errorf("a turn asked the platform %d times without a credential that auth released", asked)
				}
				continue
			}
			worked++
			trace.child(trace.child(turn, "worker", releaseRPC), "auth", releaseRPC)
			sent += len(trace.children(turn, "worker", "HTTP POST"))
			for _, s := range trace.children(turn, "worker", "HTTP GET") {
				if !strings.Contains(s.attribute("url.full"), "?") { // a look at the one resource
					probed++
				}
			}
			if id := turn.attribute("operation.id"); id != begun["operacion_id"] {
				t.Errorf("the worker's span is of operation %s, want %s", id, begun["operacion_id"])
			}
		}
		if worked < 2 || sent != 1 || probed == 0 {
			t.Errorf("%d of %d turns of the worker sent %d writes and looked %d times", worked, len(turns), sent, probed)
		}
		trace.whole(request)
	})

	t.Run("no credential leaves with a trace, nor had one to be hidden", func(t *testing.T) {
		text := c.text()
		for person, token := range e.ready.Tokens {
			if strings.Contains(text, token) {
				t.Errorf("the token of %s is in the traces", person)
			}
		}
		if at := strings.Index(text, mask.Word); at >= 0 {
			t.Errorf("a credential got as far as the exporter: %s", text[max(0, at-300):min(len(text), at+300)])
		}
	})
}

// tracedTo sends the traces of all services there.
func tracedTo(url string) func(*Wiring) {
	return func(w *Wiring) {
		w.Auth.Telemetry.OTLPEndpoint, w.Worker.Telemetry.OTLPEndpoint = url, url
		for area, cfg := range w.Hosts {
			cfg.Telemetry.OTLPEndpoint = url
			w.Hosts[area] = cfg
		}
	}
}

// forest is some spans.
type forest struct {
	t     *testing.T
	spans []span
}

// of is the trace that the span belongs to.
func (f forest) of(service, name string) forest {
	f.t.Helper()
	trace := f.one(service, name).trace()
	f.spans = slices.DeleteFunc(f.spans, func(s span) bool { return s.trace() != trace })
	return f
}

// one is the only span of this service and name.
func (f forest) one(service, name string) span {
	f.t.Helper()
	return f.only(name, f.matching(func(s span) bool { return s.service == service && s.GetName() == name }))
}

// child is the only span of this service and name directly under parent.
func (f forest) child(parent span, service, name string) span {
	f.t.Helper()
	return f.only(name+" under "+parent.GetName(), f.children(parent, service, name))
}

func (f forest) children(parent span, service, name string) []span {
	return f.matching(func(s span) bool {
		return s.parent() == parent.id() && s.service == service && s.GetName() == name
	})
}

func (f forest) matching(wanted func(span) bool) (found []span) {
	for _, s := range f.spans {
		if wanted(s) {
			found = append(found, s)
		}
	}
	return found
}

func (f forest) only(what string, found []span) span {
	f.t.Helper()
	if len(found) != 1 {
		f.t.Fatalf("%d spans %s, want 1, among:\n%s", len(found), what, f)
	}
	return found[0]
}

// whole: every span but the root is under another one of the trace.
func (f forest) whole(root span) {
	f.t.Helper()
	known := map[string]bool{}
	for _, s := range f.spans {
		known[s.id()] = true
	}
	for _, s := range f.spans {
		if s.id() != root.id() && !known[s.parent()] {
			f.t.Errorf("%s of %s hangs in the air, in:\n%s", s.GetName(), s.service, f)
		}
	}
}

// String lists the spans for a failed test.
func (f forest) String() string {
	var b strings.Builder
	for _, s := range f.spans {
		b.WriteString(s.parent() + " > " + s.id() + " " + s.service + ": " + s.GetName() + "\n")
	}
	return b.String()
}
