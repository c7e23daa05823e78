package local

import (
	"context"
	"encoding/hex"
	"net"
	"strings"
	"sync"
	"testing"

	tracesv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/prototext"
)

// collector keeps what is exported to it over OTLP/gRPC.
type collector struct {
	tracesv1.UnimplementedTraceServiceServer
	url string

	mu       sync.Mutex
	requests []*tracesv1.ExportTraceServiceRequest
}

func collect(t *testing.T) *collector {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c, server := &collector{url: "grpc://" + listener.Addr().String()}, grpc.NewServer()
	tracesv1.RegisterTraceServiceServer(server, c)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() { server.Stop(); serving.Wait() })
	return c
}

// Export takes spans.
func (c *collector) Export(_ context.Context, r *tracesv1.ExportTraceServiceRequest) (*tracesv1.ExportTraceServiceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, r)
	return &tracesv1.ExportTraceServiceResponse{}, nil
}

// text is all that was exported, as text.
func (c *collector) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all strings.Builder
	for _, r := range c.requests {
		all.WriteString(prototext.Format(r))
	}
	return all.String()
}

// span is a span with the service that exported it.
type span struct {
	service string
	*tracev1.Span
}

func (s span) trace() string  { return hex.EncodeToString(s.GetTraceId()) }
func (s span) id() string     { return hex.EncodeToString(s.GetSpanId()) }
func (s span) parent() string { return hex.EncodeToString(s.GetParentSpanId()) }

// attribute is the text of an attribute; "" where it has none.
func (s span) attribute(key string) string {
	for _, a := range s.GetAttributes() {
		if a.GetKey() == key {
			return a.GetValue().GetStringValue()
		}
	}
	return ""
}

// spans are all spans so far.
func (c *collector) spans() (all []span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.requests {
		for _, resource := range r.GetResourceSpans() {
			service := ""
			for _, a := range resource.GetResource().GetAttributes() {
				if a.GetKey() == "service.name" {
					service = a.GetValue().GetStringValue()
				}
			}
			for _, scope := range resource.GetScopeSpans() {
				for _, s := range scope.GetSpans() {
					all = append(all, span{service, s})
				}
			}
		}
	}
	return all
}
