// Package sandbox is a stand-in for the platform's API: it serves the areas' own
// OpenAPI documents statefully, so that the whole product runs, and is tested,
// without the platform. Which resources there are, how they nest, what is valid
// and how an answer looks comes from the documents alone.
//
// It also misbehaves on request and remembers what reached it and what took
// effect, under /_sandbox; README.md shows how. It is for one machine: its people
// are made up, its tokens public, its control endpoints open to all who reach it.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/engine"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/model"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/people"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/sqldb"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/store"
)

// BasePath starts every path of the API, as on the platform.
const BasePath = "/v4"

// drainFor is how long requests may still run when the sandbox is asked to stop.
const drainFor = 5 * time.Second

// Tokens is the personal token of each known person: admin and admin_2 (one
// person, system admin, in two companies), member and reader of the first
// company, outsider of a third. They are made up and never change.
func Tokens() map[string]string { return people.Tokens() }

// Run serves docs (area to documents) until ctx ends. The API's base URL goes to
// ready, if that is not nil, once requests are answered.
func Run(ctx context.Context, cfg Config, docs map[string]fs.FS, ready chan<- string) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	cfg = cfg.withDefaults()
	what, err := model.Load(docs)
	if err != nil {
		return err
	}
	kept, err := store.Open(cfg.DataDir)
	if err != nil {
		return err
	}
	err = listen(ctx, cfg, newServer(cfg, newEngine(cfg, what, kept, time.Now)), ready)
	return errors.Join(err, kept.Close())
}

// newEngine is the platform, with all that it does beyond its documents.
func newEngine(cfg Config, what *model.Model, kept *store.Store, now func() time.Time) *engine.Engine {
	return &engine.Engine{
		Model:       what,
		Store:       kept,
		PendingFor:  cfg.PendingFor,
		MaxPageSize: cfg.MaxPageSize,
		Now:         now,
		Behaviours:  behaviours(sqldb.In(filepath.Join(cfg.DataDir, "sql"))),
		References:  references(),
	}
}

func listen(ctx context.Context, cfg Config, h http.Handler, ready chan<- string) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	base := "http://" + listener.Addr().String() + BasePath
	cfg.Log.Info("sandbox is ready", "platform", base)
	if ready != nil {
		select {
		case ready <- base:
		case <-ctx.Done():
		}
	}
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	return shutdown(ctx, server)
}

// shutdown lets running requests end, for a while; the file must not be closed under them.
func shutdown(ctx context.Context, server *http.Server) error {
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainFor)
	defer cancel()
	err := server.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	}
	return err
}
