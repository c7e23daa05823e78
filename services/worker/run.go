package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/mount"
	"github.com/comporta-mcp/comporta/pkg/once"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/secret"
	"github.com/comporta-mcp/comporta/pkg/telemetry"
	"github.com/comporta-mcp/comporta/pkg/turn"
)

// Deps is what Run takes from its surroundings.
type Deps struct {
	Version string
	// Documents are the OpenAPI documents of every area, by the area's name.
	Documents map[string]fs.FS
}

// Run carries operations out until ctx ends, then lets running ones come to a
// good place. It waits for NATS and auth. The error is nil after an orderly stop.
func Run(ctx context.Context, cfg Config, deps Deps) (err error) {
	if err := cfg.Validate(); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	documents, credentials, err := cfg.mounted(deps.Documents)
	if err != nil {
		return err
	}
	tools, err := loadTools(documents)
	if err != nil {
		return fmt.Errorf("the catalogue: %w", err)
	}
	cfg.Name = cfg.nameOrOwn()
	tel, err := telemetry.Start(ctx, cfg.Telemetry, "worker", or(deps.Version, "dev"))
	if err != nil {
		return err
	}
	defer closing(ctx, tel.Close, &err)
	b, err := bus.Connect(cfg.NATS, "worker", tel.Log, nil)
	if err != nil {
		return err
	}
	defer b.Close()
	tel.Ready("nats", b.Ready)
	auth, err := dial(cfg.Auth, tel)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, auth.Close()) }()
	tel.Ready("auth", auth.Ready)
	ledger, err := audit.Open(audit.Options{
		Bus: b, Dir: cfg.DataDir, Writer: cfg.Name,
		Log: tel.Log, Metrics: tel.Registry, Masker: tel.Masker,
	})
	if err != nil {
		return err
	}
	defer closing(ctx, ledger.Close, &err)
	return work(ctx, cfg, tools, credentials, tel, b, auth, ledger)
}

// work runs the worker on what Run has opened.
func work(ctx context.Context, cfg Config, tools toolbox, credentials mount.Credentials, tel *telemetry.Telemetry, b *bus.Bus, auth *identity.AuthClient, ledger *audit.Log) error {
	if err := b.Ensure(ctx); err != nil {
		return orderly(ctx, err)
	}
	turns, err := b.KV(ctx, bus.Turns)
	if err != nil {
		return orderly(ctx, err)
	}
	client := platform.New(cfg.Platform, platform.Options{
		Turns:       turn.New(turns, turn.Options{Holder: cfg.Name, Log: tel.Log}),
		Credentials: credentials, Metrics: tel.Registry, Log: tel.Log,
	})
	keeper := &secret.Keeper{Client: client, Keys: auth, Store: secret.NewStore(b, time.Now), Log: tel.Log}
	w, err := New(cfg.Work, Parts{
		Bus:    b,
		Store:  operation.NewStore(b, time.Now),
		Tools:  tools.find,
		Rights: auth,
		Writer: &once.Writer{Platform: keeper, Tools: tools.find, Settle: cfg.Settle, Patient: true, Found: keeper.Found},
		Prober: client,
		Shape: func(tool *catalog.Tool, value map[string]any) map[string]any {
			return answer.Shape(tool, value, answer.Page{})
		},
		Audit:  ledger,
		Tracer: tel.Tracer, Metrics: tel.Registry, Log: tel.Log,
		Name: cfg.Name,
	})
	if err != nil {
		return err
	}
	tel.Ready("operations", w.Ready)
	return w.Run(ctx)
}

func dial(cfg identity.ClientConfig, tel *telemetry.Telemetry) (*identity.AuthClient, error) {
	cfg.Log, cfg.Traces = tel.Log, tel.TracerProvider()
	return identity.Dial(cfg)
}

// nameOrOwn is a name that no other worker has: two processes of one machine differ too.
func (c Config) nameOrOwn() string {
	if c.Name != "" {
		return c.Name
	}
	machine, err := os.Hostname()
	if err != nil {
		machine = "worker"
	}
	return fmt.Sprintf("%s-%d", machine, os.Getpid())
}

// closing closes what outlives ctx, for at most 10 s.
func closing(ctx context.Context, stop func(context.Context) error, err *error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	*err = errors.Join(*err, stop(ctx))
}

// orderly: an error that only says that the worker was told to stop is none.
func orderly(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
