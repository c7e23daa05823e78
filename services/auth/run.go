// Package auth is the service that knows who calls and what they may: it judges
// credentials for hosts and workers over gRPC, and keeps what hosts seal from
// everybody else. Its judgements stand in internal/: token (personal tokens),
// person (who they belong to), link (what their person decided), rpc (the
// answers), web (the public pages). This package wires them.
package auth

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"

	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/seal"
	"github.com/comporta-mcp/comporta/pkg/telemetry"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/client"
	"github.com/comporta-mcp/comporta/services/auth/internal/person"
	"github.com/comporta-mcp/comporta/services/auth/internal/rpc"
	"github.com/comporta-mcp/comporta/services/auth/internal/token"
)

// Deps is what Run takes from its surroundings; zero values mean the usual.
type Deps struct {
	Version string
	Now     func() time.Time
	// Transport carries the questions to the platform.
	Transport http.RoundTripper
	// Documents are the areas' OpenAPI documents: they say which resources a person
	// can choose from.
	Documents map[string]fs.FS
	// ClientDocuments carries the fetches of clients' metadata documents.
	ClientDocuments http.RoundTripper
}

// Addresses is where a running auth answers.
type Addresses struct {
	GRPC  string // host:port
	HTTP  string // URL
	Admin string // URL; "" where there is no admin port
}

// Run serves until ctx ends, then lets running requests end. It tells its
// addresses on ready, unless that is nil, once everything answers; before that
// it waits for NATS. The error is nil after an orderly stop.
func Run(ctx context.Context, cfg Config, deps Deps, ready chan<- Addresses) error {
	if err := cfg.validateAll(); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	deps = deps.withDefaults()
	tel, err := telemetry.Start(ctx, cfg.Telemetry, "auth", deps.Version)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), cfg.DrainTimeout)
		defer cancel()
		_ = tel.Close(closing)
	}()
	doors, err := listen(cfg, tel.Log)
	if err != nil {
		return err
	}
	defer doors.close()
	b, err := bus.Connect(cfg.NATS, "auth", tel.Log, nil)
	if err != nil {
		return err
	}
	defer b.Close()
	tel.Ready("nats", b.Ready)
	return work(ctx, cfg, deps, tel, doors, b, ready)
}

func (d Deps) withDefaults() Deps {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Transport == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.MaxIdleConnsPerHost = 64
		d.Transport = own
	}
	if d.ClientDocuments == nil {
		d.ClientDocuments = client.Public()
	}
	if d.Version == "" {
		d.Version = "dev"
	}
	return d
}

// work starts what lives as long as the service, serves, and ends it in the
// opposite order: nobody loses what it leans on while it drains.
func work(ctx context.Context, cfg Config, deps Deps, tel *telemetry.Telemetry, doors *doors, b *bus.Bus, ready chan<- Addresses) (err error) {
	if err := b.Ensure(ctx); err != nil {
		return stopped(ctx, err)
	}
	keys, err := openKeys(ctx, cfg, deps, b, tel.Log)
	if err != nil {
		return stopped(ctx, err)
	}
	links, err := openLinks(ctx, cfg, deps, b, tel)
	if err != nil {
		return err
	}
	ledger, err := audit.Open(audit.Options{
		Bus: b, Dir: cfg.DataDir, Writer: writerName(), Log: tel.Log, Metrics: tel.Registry, Masker: tel.Masker,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAudit(ctx, ledger, cfg.DrainTimeout)) }()
	behind := newBackground(ctx)
	defer behind.stop()
	behind.run(links.Run)
	behind.run(func(ctx context.Context) { maintain(ctx, keys, cfg.RotateKeys, tel.Log) })
	tel.Ready("links", func(context.Context) error { return punctual(links) })

	parts := &parts{cfg: cfg, deps: deps, tel: tel, bus: b, keys: keys, links: links, ledger: ledger, pages: doors.pages()}
	platform := person.New(cfg.PlatformURL, cfg.Identity, traced(deps.Transport, tel))
	parts.tokens = token.New(cfg.Tokens, platform, token.Options{Now: deps.Now, Metrics: tel.Registry})
	defer parts.tokens.Close()
	if err := parts.openGrants(); err != nil {
		return err
	}
	if err := parts.openApprovals(); err != nil {
		return err
	}
	site, err := parts.site(ctx)
	if err != nil {
		return err
	}
	server, healthy := rpc.NewServer(parts.service(), doors.creds, tel.Log, tel.TracerProvider())
	return doors.serve(ctx, server, healthy, site, tel, ready)
}

// writerName names this process in the audit.
func writerName() string {
	name, err := os.Hostname()
	if err != nil {
		return "auth"
	}
	return "auth@" + name
}

// closeAudit publishes what waits. What is left waits on the disk.
func closeAudit(ctx context.Context, ledger *audit.Log, within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	return ledger.Close(ctx)
}

// traced sends the trace of the call along with a question to the platform.
func traced(transport http.RoundTripper, tel *telemetry.Telemetry) http.RoundTripper {
	return otelhttp.NewTransport(transport,
		otelhttp.WithTracerProvider(tel.TracerProvider()), otelhttp.WithPropagators(propagation.TraceContext{}))
}

func openLinks(ctx context.Context, cfg Config, deps Deps, b *bus.Bus, tel *telemetry.Telemetry) (*link.Links, error) {
	kv, err := b.KV(ctx, bus.Links)
	if err != nil {
		return nil, err
	}
	id := make([]byte, 8)
	_, _ = rand.Read(id) // never fails: crypto/rand
	return link.New(link.Options{
		Conn: b.Conn, JS: b.JS, KV: kv,
		Replica: hex.EncodeToString(id),
		Cached:  cfg.CachedLinks,
		Log:     tel.Log,
		Now:     deps.Now,
		Metrics: tel.Registry,
	}), nil
}

// longLate is when a replica should get no new connections; it still answers
// those it has, reading each link anew.
const longLate = 5 * time.Second

func punctual(links *link.Links) error {
	if late := links.Late(); late > longLate {
		return fmt.Errorf("the watch on links is late by more than %s", longLate)
	}
	return nil
}

// openKeys reads the keysets, trying again while the bucket cannot be read.
func openKeys(ctx context.Context, cfg Config, deps Deps, b *bus.Bus, log logger) (*seal.Opener, error) {
	master, err := seal.ParseMaster(string(cfg.MasterKey))
	if err != nil {
		return nil, fmt.Errorf("master-key: %w", err)
	}
	kv, err := b.KV(ctx, bus.Keys)
	if err != nil {
		return nil, err
	}
	return retryKeys(ctx, kv, master, deps.Now, log)
}
