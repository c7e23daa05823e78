package telemetry

import (
	"context"
	"log/slog"
	"net/url"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/comporta-mcp/comporta/pkg/telemetry/mask"
)

// newTracing makes the provider. Without an endpoint nothing is recorded for
// traces that begin here, but they have ids, so that log lines can be joined,
// and what a caller decided is passed on unchanged.
func newTracing(ctx context.Context, cfg Config, service, version string, m *mask.Masker, log *slog.Logger) (*sdktrace.TracerProvider, error) {
	options := []sdktrace.TracerProviderOption{
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", service),
			attribute.String("service.version", version),
		)),
	}
	endpoint, err := cfg.endpoint()
	if err != nil {
		return nil, err
	}
	if endpoint == nil {
		options = append(options, sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.NeverSample())))
		return sdktrace.NewTracerProvider(options...), nil
	}
	exporter, err := newExporter(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	ratio := 1 / float64(max(cfg.TraceEvery, 1))
	options = append(options,
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(ratio))),
		sdktrace.WithBatcher(&quiet{SpanExporter: maskedExporter{exporter, m}, log: log, now: time.Now}),
	)
	return sdktrace.NewTracerProvider(options...), nil
}

func newExporter(ctx context.Context, endpoint *url.URL) (sdktrace.SpanExporter, error) {
	switch endpoint.Scheme {
	case "grpc":
		return otlptracegrpc.New(ctx, otlptracegrpc.WithEndpoint(endpoint.Host), otlptracegrpc.WithInsecure())
	case "grpcs":
		return otlptracegrpc.New(ctx, otlptracegrpc.WithEndpoint(endpoint.Host))
	default:
		u := *endpoint
		if u.Path == "" || u.Path == "/" {
			u.Path = "/v1/traces" // the path that OTLP over HTTP names
		}
		return otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(u.String()))
	}
}

// quiet tells of failed exports in our log, once a minute at most. The SDK would
// tell a process-wide handler, each time.
type quiet struct {
	sdktrace.SpanExporter
	log  *slog.Logger
	now  func() time.Time
	last atomic.Int64 // Unix seconds of the last line
}

func (q *quiet) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := q.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		return nil
	}
	now, last := q.now().Unix(), q.last.Load()
	if now-last >= 60 && q.last.CompareAndSwap(last, now) {
		q.log.WarnContext(ctx, "traces were lost on the way to the OTLP endpoint", "error", err, "spans", len(spans))
	}
	return nil
}

// HTTPOptions are for otelhttp.NewHandler and otelhttp.NewTransport.
func (t *Telemetry) HTTPOptions() []otelhttp.Option {
	return []otelhttp.Option{
		otelhttp.WithTracerProvider(t.tracing),
		otelhttp.WithPropagators(t.Propagator()),
	}
}

// GRPCOptions are for otelgrpc.NewServerHandler and otelgrpc.NewClientHandler.
func (t *Telemetry) GRPCOptions() []otelgrpc.Option {
	return []otelgrpc.Option{
		otelgrpc.WithTracerProvider(t.tracing),
		otelgrpc.WithPropagators(t.Propagator()),
	}
}
