// Package worker carries operations out: it takes their keys from the queue,
// judges the caller's rights afresh, makes the one write of each at most once,
// waits until the platform is done, and ends the record. It also keeps the queue
// honest: what has a record but no message is found and published again.
//
// What a write or an operation is belongs to packages once, platform and
// operation. Handle knows no broker; shell.go alone knows messages.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	"golang.org/x/sync/errgroup"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/once"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// Rights judges whether an operation may still act; auth's client is one.
type Rights interface {
	// Release gives the caller as of now and what was sealed beside the credential.
	// The error is *identity.Refused when it may no longer act; any other means that
	// auth could not be asked.
	Release(ctx context.Context, op *operationv1.Operation) (*identity.Principal, []byte, error)
	// Advance tells how far a call is that its person approved; *identity.Refused
	// where their yes is not good for that any more.
	Advance(ctx context.Context, op *operationv1.Operation, step authv1.ApprovedStep) error
}

// Writer makes a write at most once; package once's Writer is one.
type Writer interface {
	Write(ctx context.Context, r platform.Request, j once.Journal) (*platform.Answer, error)
}

// Prober asks the platform whether something is ready; package platform's Client is one.
type Prober interface {
	Do(ctx context.Context, r platform.Request) (*platform.Answer, error)
}

// Audit records how an operation ended; failed is nil where it went well. The same
// end may be told twice after a crash.
type Audit interface {
	Operation(ctx context.Context, op *operationv1.Operation, failed *problem.Problem) error
}

// Parts is what a Worker is made of. All are required but Tracer, Metrics, Log and Now.
type Parts struct {
	Bus    *bus.Bus
	Store  *operation.Store
	Tools  func(name string) (*catalog.Tool, bool)
	Rights Rights
	Writer Writer
	Prober Prober
	// Shape makes the platform's answer what the tool itself would have answered.
	Shape func(*catalog.Tool, map[string]any) map[string]any
	Audit Audit

	Tracer  trace.Tracer
	Metrics prometheus.Registerer
	Log     *slog.Logger
	Now     func() time.Time
	// Name is this process's, unique among the workers: it is in the leases.
	Name string
}

// Worker carries operations out.
type Worker struct {
	cfg     Work
	parts   Parts
	log     *slog.Logger
	metrics *metrics
	live    *live
	queue   *queue
	claims  atomic.Uint64
}

// New makes a worker of its parts.
func New(cfg Work, p Parts) (*Worker, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("worker: %w", err)
	}
	if p.Bus == nil || p.Store == nil || p.Tools == nil || p.Rights == nil || p.Writer == nil ||
		p.Prober == nil || p.Shape == nil || p.Audit == nil || p.Name == "" {
		return nil, errors.New("worker: a required part is missing")
	}
	if p.Tracer == nil {
		p.Tracer = noop.NewTracerProvider().Tracer("")
	}
	if p.Metrics == nil {
		p.Metrics = prometheus.NewRegistry()
	}
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	cfg = cfg.orDefaults()
	w := &Worker{cfg: cfg, parts: p, log: p.Log, live: newLive()}
	w.metrics = newMetrics(p.Metrics, w.live, p.Now)
	w.queue = &queue{js: p.Bus.JS, cfg: cfg, log: p.Log, recreated: w.metrics.recreated}
	return w, nil
}

// Run works until ctx ends, then lets running operations come to a good place
// for at most DrainFor. What it cannot finish another worker takes up.
func (w *Worker) Run(ctx context.Context) error {
	var group errgroup.Group
	group.Go(func() error { w.follow(ctx); return nil })
	group.Go(func() error { w.queue.keep(ctx); return nil })
	group.Go(func() error { w.reconcile(ctx); return nil })
	group.Go(func() error { w.consume(ctx); return nil })
	return group.Wait()
}

// Ready reports whether operations are being carried out.
func (w *Worker) Ready(context.Context) error {
	if !w.parts.Bus.Connected() {
		return errors.New("NATS cannot be reached")
	}
	if err := w.queue.healthy(); err != nil {
		return err
	}
	if !w.live.complete() {
		return errors.New("the operations have not all been seen yet")
	}
	return nil
}
