package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/idempotency"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/mount"
	"github.com/comporta-mcp/comporta/pkg/once"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/quota"
	"github.com/comporta-mcp/comporta/pkg/secret"
	"github.com/comporta-mcp/comporta/pkg/telemetry"
	"github.com/comporta-mcp/comporta/pkg/turn"
)

// parts are what a running host is made of beside its Gate. None of them needs
// auth or NATS to be there when it is made.
type parts struct {
	area     Area
	cfg      Config
	tel      *telemetry.Telemetry
	auth     *identity.AuthClient
	bus      *bus.Bus
	log      *audit.Log
	limiter  *quota.Limiter
	limits   map[string]quota.Limit
	platform *platform.Client
	ops      *operation.Store
	holder   string

	credentials mount.Credentials // of the APIs that are mounted

	ensuring   context.CancelFunc
	background sync.WaitGroup
	tools      atomic.Pointer[func(string) (*catalog.Tool, bool)]
}

func assemble(ctx context.Context, area Area, cfg Config, tel *telemetry.Telemetry, credentials mount.Credentials) (p *parts, err error) {
	service := area.Name + "-mcp"
	p = &parts{area: area, cfg: cfg, tel: tel, credentials: credentials, holder: holderName(service)}
	ctx, p.ensuring = context.WithCancel(context.WithoutCancel(ctx))
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close(ctx))
		}
	}()
	if p.limits, err = quota.Changed(quota.Defaults(), cfg.Limits); err != nil {
		return nil, fmt.Errorf("limits: %w", err)
	}
	cfg.Auth.Log, cfg.Auth.Traces = tel.Log, tel.TracerProvider()
	if p.auth, err = identity.Dial(cfg.Auth); err != nil {
		return nil, err
	}
	if p.bus, err = bus.Connect(cfg.NATS, service, tel.Log, nil); err != nil {
		return nil, err
	}
	if err := p.openStores(ctx); err != nil {
		return nil, err
	}
	p.background.Go(func() {
		// It fails only when the host stops.
		_ = p.bus.Ensure(ctx)
	})
	return p, nil
}

// run begins what the area does beside answering; close waits for its end.
func (p *parts) run(ctx context.Context, area Area) {
	if area.Background == nil {
		return
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	ensuring := p.ensuring
	p.ensuring = func() { stop(); ensuring() }
	p.background.Go(func() { area.Background(ctx) })
}

// holderName names this process in leases and audit records.
func holderName(service string) string {
	name, err := os.Hostname()
	if err != nil {
		return service
	}
	return service + "@" + name
}

func (p *parts) openStores(ctx context.Context) (err error) {
	p.log, err = audit.Open(audit.Options{
		Bus: p.bus, Dir: filepath.Join(p.cfg.DataDir, p.area.Name), Writer: p.holder,
		Log: p.tel.Log, Metrics: p.tel.Registry, Masker: p.tel.Masker,
	})
	if err != nil {
		return err
	}
	counts, err := p.bus.KV(ctx, bus.Quota)
	if err != nil {
		return err
	}
	p.limiter = quota.New(counts, quota.Options{Log: p.tel.Log, Metrics: p.tel.Registry})
	turns, err := p.bus.KV(ctx, bus.Turns)
	if err != nil {
		return err
	}
	p.platform = platform.New(p.cfg.Platform, platform.Options{
		Turns: turn.New(turns, turn.Options{Holder: p.holder, Log: p.tel.Log}), Credentials: p.credentials, Metrics: p.tel.Registry, Log: p.tel.Log,
	})
	p.ops = operation.NewStore(p.bus, time.Now)
	return nil
}

// wiring connects the parts with the door.
func (p *parts) wiring() Wiring {
	keeper := &secret.Keeper{Client: p.platform, Keys: p.auth, Store: secret.NewStore(p.bus, time.Now), Log: p.tel.Log}
	return Wiring{
		Auth:       p.auth,
		Platform:   keeper,
		Writer:     &once.Writer{Platform: keeper, Tools: p.tool, Settle: p.cfg.Settle, Found: keeper.Found},
		Operations: p.ops,
		Sealer:     p.auth,
		Approvals:  p.auth,
		Audit:      audit.Reader{Bus: p.bus},
		Links:      p.auth,
		Stages:     p.stages,
		Refused:    p.refused,
		Others:     p.others,
		Catalogued: func(find func(string) (*catalog.Tool, bool)) { p.tools.Store(&find) },
		Objects:    p.bus.Objects,
		Metrics:    p.tel.Registry,
		Tracer:     p.tel.Tracer,
		Log:        p.tel.Log,
		Now:        time.Now,
	}
}

func (p *parts) stages(names guard.Namer) Stages {
	return Stages{
		Audit: p.log.Stage(),
		Quota: quota.Stage(p.limiter, p.limits[quota.Calls], nil),
		Guard: guard.Stage(guard.Options{Names: names}),
		Idempotency: idempotency.Stage(idempotency.Options{
			Store: idempotency.NewStore(p.bus), Operations: p.ops, Holder: p.holder, Log: p.tel.Log,
		}),
		ToolLimits: quota.Stage(p.limiter, quota.Limit{}, p.limits),
	}
}

// tool finds a tool for the Writer, which is made before the catalogue is loaded.
func (p *parts) tool(name string) (*catalog.Tool, bool) {
	find := p.tools.Load()
	if find == nil {
		return nil, false
	}
	return (*find)(name)
}

func (p *parts) refused(ctx context.Context, r Refusal) {
	p.log.Refused(ctx, audit.Refusal{
		Area: p.area.Name, Profile: r.Profile, Address: r.Address, Message: r.Message, Principal: r.Principal,
	})
}

// others counts a request that is no call. A limiter that fails lets it pass: it
// counts alone when its store is away, so only a cancelled request gets here.
func (p *parts) others(ctx context.Context, linkID string) time.Duration {
	wait, err := p.limiter.Take(ctx, linkID, p.limits[quota.Requests])
	if err != nil {
		return 0
	}
	return wait
}

// close ends the parts in the order in which they lean on each other.
func (p *parts) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.cfg.DrainTimeout)
	defer cancel()
	p.ensuring()
	p.background.Wait()
	var errs []error
	if p.log != nil {
		errs = append(errs, p.log.Close(ctx))
	}
	if p.bus != nil {
		p.bus.Close()
	}
	if p.auth != nil {
		errs = append(errs, p.auth.Close())
	}
	return errors.Join(errs...)
}
