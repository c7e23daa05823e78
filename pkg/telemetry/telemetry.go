// Package telemetry owns what a service tells about itself: its log, its
// metrics, its traces, and the admin port with /metrics, /healthz and /readyz.
// It sets no global; who needs one of these gets it handed. What is worth
// telling is each package's own business.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/comporta-mcp/comporta/pkg/telemetry/mask"
)

// Telemetry is one service's log, metrics, traces and admin port.
type Telemetry struct {
	// Log hides credentials and names the service and the trace.
	Log      *slog.Logger
	Registry *prometheus.Registry
	Tracer   trace.Tracer
	// Masker hides credentials as Log does, for text that goes elsewhere.
	Masker *mask.Masker

	tracing *sdktrace.TracerProvider
	admin   *admin
}

// Start opens everything. Close ends it; until then the admin port answers.
func Start(ctx context.Context, cfg Config, service, version string) (*Telemetry, error) {
	return start(ctx, cfg, service, version, os.Stderr)
}

func start(ctx context.Context, cfg Config, service, version string, out io.Writer) (*Telemetry, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	masker, err := mask.New(cfg.MaskPatterns...)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	level, err := cfg.level()
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	log := newLogger(out, cfg.LogFormat, level, masker).With("service", service, "version", version)
	tracing, err := newTracing(ctx, cfg, service, version, masker, log)
	if err != nil {
		return nil, fmt.Errorf("telemetry: traces: %w", err)
	}
	registry := newRegistry(service, version)
	admin, err := serveAdmin(cfg, registry, masker, log)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("telemetry: admin port: %w", err), tracing.Shutdown(ctx))
	}
	return &Telemetry{
		Log: log, Registry: registry, Masker: masker,
		Tracer:  tracing.Tracer("github.com/comporta-mcp/comporta"),
		tracing: tracing, admin: admin,
	}, nil
}

// Ready adds a check to /readyz. It may run at any time, several at once, and
// has 1 s; the name stands in the answer.
func (t *Telemetry) Ready(name string, check func(context.Context) error) {
	t.admin.add(name, check)
}

// Degraded adds to /readyz what works badly, with the reason: a service that
// answers from old data is not taken out for it. list must not block.
func (t *Telemetry) Degraded(name string, list func() map[string]string) {
	t.admin.mu.Lock()
	defer t.admin.mu.Unlock()
	t.admin.faults[name] = list
}

// AdminURL is where the admin port answers; "" where there is none.
func (t *Telemetry) AdminURL() string { return t.admin.url }

// Drain makes /readyz say no from now on, so that no new work is sent here. The
// admin port goes on answering until Close.
func (t *Telemetry) Drain() { t.admin.draining.Store(true) }

// Close sends what is left of the traces and closes the admin port, which
// therefore outlives everything that the service drains before it calls Close.
func (t *Telemetry) Close(ctx context.Context) error {
	t.Drain()
	return errors.Join(t.tracing.Shutdown(ctx), t.admin.close(ctx))
}

// TracerProvider is for instrumentation libraries, which else use a global one.
func (t *Telemetry) TracerProvider() trace.TracerProvider { return t.tracing }

// Propagator carries trace contexts in W3C headers (traceparent, baggage).
func (t *Telemetry) Propagator() propagation.TextMapPropagator {
	return propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})
}

func newRegistry(service, version string) *prometheus.Registry {
	registry := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "comporta_build_info",
		Help:        "Always 1; the labels say what runs here.",
		ConstLabels: prometheus.Labels{"service": service, "version": version, "goversion": runtime.Version()},
	})
	build.Set(1)
	registry.MustRegister(
		build,
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return registry
}
