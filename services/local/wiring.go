package local

import (
	"context"
	"fmt"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/seal"
	"github.com/comporta-mcp/comporta/pkg/telemetry"
	"github.com/comporta-mcp/comporta/services/auth"
	"github.com/comporta-mcp/comporta/services/auth/devcert"
	"github.com/comporta-mcp/comporta/services/build"
	"github.com/comporta-mcp/comporta/services/catalogs"
	"github.com/comporta-mcp/comporta/services/docs"
	"github.com/comporta-mcp/comporta/services/observe"
	"github.com/comporta-mcp/comporta/services/sandbox"
	"github.com/comporta-mcp/comporta/services/secure"
	"github.com/comporta-mcp/comporta/services/storage"
	"github.com/comporta-mcp/comporta/services/worker"
)

// area is one of the five with its port's offset.
type area struct {
	name string
	port int
	make func(Own) host.Area
}

// areas is every area, in the order of the ports.
var areas = []area{
	{docs.Area.Name, docsPort, func(own Own) host.Area { return docs.With(own.Docs) }},
	plain(build.Area, buildPort),
	plain(secure.Area, securePort),
	{observe.Area.Name, observePort, func(own Own) host.Area { return observe.With(own.Observe) }},
	plain(storage.Area, storagePort),
}

// plain is an area without settings of its own.
func plain(a host.Area, port int) area {
	return area{a.Name, port, func(Own) host.Area { return a }}
}

// Wiring is the configuration of every part.
type Wiring struct {
	NATS    embedded.Options
	Sandbox sandbox.Config
	Auth    auth.Config
	Worker  worker.Config
	Hosts   map[string]host.Config // by area
	Own     Own

	cfg     Config
	version string
}

// wire makes the configurations for one machine.
func wire(cfg Config, o Options) (*Wiring, error) {
	certs, err := devcert.Ensure(cfg.dir("certificates"), time.Now())
	if err != nil {
		return nil, err
	}
	master, err := seal.EnsureMasterFile(cfg.dir("master.key"))
	if err != nil {
		return nil, err
	}
	version := o.Version
	if version == "" {
		version = "dev"
	}
	w := &Wiring{
		NATS:    embedded.Options{Dir: cfg.dir("nats"), Port: cfg.port(natsPort)},
		Sandbox: sandbox.Config{Listen: address(cfg.port(platformPort)), DataDir: cfg.dir("platform"), Log: o.Log},
		Hosts:   map[string]host.Config{},
		Own:     cfg.Own,
		cfg:     cfg,
		version: version,
	}
	w.Auth = auth.Defaults()
	w.Auth.GRPCListen = address(cfg.port(authGRPCPort))
	w.Auth.HTTPListen = address(cfg.port(authPort))
	w.Auth.PublicURL = httpURL(cfg.port(authPort))
	w.Auth.DataDir = cfg.dir("auth")
	w.Auth.TLS = certs.Auth
	w.Auth.PublicURL = httpURL(cfg.port(authPort))
	w.Auth.OAuth.Resources = map[string]string{}
	for _, a := range areas {
		w.Auth.OAuth.Resources[a.name] = httpURL(cfg.port(a.port))
	}
	w.Auth.OAuth.AccessLife = cfg.Own.AccessLife
	w.Auth.PlatformURL = w.platformURL()
	w.Auth.MasterKey = identity.Secret(master)
	w.Auth.NATS = w.nats()
	w.Auth.Telemetry = w.telemetry("auth")

	asker := identity.ClientConfig{Addresses: []string{w.Auth.GRPCListen}, TLS: certs.Caller}
	w.Worker = worker.Defaults()
	w.Worker.Auth = asker
	w.Worker.NATS = w.nats()
	w.Worker.Platform = w.platform()
	w.Worker.Telemetry = w.telemetry("worker")
	w.Worker.DataDir = cfg.dir("worker")

	for _, a := range areas {
		w.Hosts[a.name] = w.host(a.name, a.port, asker)
		w.Worker.APIs = append(w.Worker.APIs, cfg.Own.APIs[a.name]...)
		w.Auth.APIs = append(w.Auth.APIs, cfg.Own.APIs[a.name]...)
	}
	if o.Adjust != nil {
		o.Adjust(w)
	}
	return w, nil
}

func (w *Wiring) host(area string, port int, asker identity.ClientConfig) host.Config {
	c := host.Defaults()
	c.Listen = address(w.cfg.port(port))
	c.PublicURL = httpURL(w.cfg.port(port))
	c.AuthURL = httpURL(w.cfg.port(authPort))
	c.Auth = asker
	c.NATS = w.nats()
	c.Platform = w.platform()
	c.Telemetry = w.telemetry(area)
	c.DataDir = w.cfg.dir(area)
	c.APIs = w.cfg.Own.APIs[area]
	return c
}

func (w *Wiring) natsURL() string     { return "nats://" + address(w.cfg.port(natsPort)) }
func (w *Wiring) platformURL() string { return httpURL(w.cfg.port(platformPort)) + sandbox.BasePath }

func (w *Wiring) nats() bus.Config { return bus.Config{URL: w.natsURL(), Replicas: 1} }

func (w *Wiring) platform() platform.Config { return platform.Config{URL: w.platformURL()} }

func (w *Wiring) telemetry(service string) telemetry.Config {
	t := telemetry.Defaults()
	t.LogFormat, t.LogLevel = "text", "warn"
	t.AdminListen = address(w.adminPort(service))
	return t
}

func (w *Wiring) adminPort(service string) int {
	for i, name := range adminOrder {
		if name == service {
			return w.cfg.port(adminPort + i)
		}
	}
	panic(fmt.Sprintf("local: %s has no admin port", service)) // a mistake in this package
}

// parts is what runs, in the order in which it starts.
func (w *Wiring) parts() []part {
	all := []part{
		{"platform", w.runSandbox},
		{"NATS", w.runNATS},
		{"auth", w.runAuth},
		{"worker", w.runWorker},
	}
	for _, a := range areas {
		all = append(all, part{a.name + "-mcp", w.runHost(a)})
	}
	return all
}

func (w *Wiring) runSandbox(ctx context.Context, up func()) error {
	return announced(ctx, up, func(ctx context.Context, ready chan<- string) error {
		return sandbox.Run(ctx, w.Sandbox, catalogs.Documents(), ready)
	})
}

func (w *Wiring) runNATS(ctx context.Context, up func()) error {
	server, err := embedded.Start(w.NATS)
	if err != nil {
		return err
	}
	up()
	<-ctx.Done()
	server.Stop()
	return nil
}

func (w *Wiring) runAuth(ctx context.Context, up func()) error {
	return announced(ctx, up, func(ctx context.Context, ready chan<- auth.Addresses) error {
		return auth.Run(ctx, w.Auth, auth.Deps{Version: w.version, Documents: catalogs.Documents()}, ready)
	})
}

func (w *Wiring) runWorker(ctx context.Context, up func()) error {
	up() // nobody waits for it to start; ready.json does
	return worker.Run(ctx, w.Worker, worker.Deps{Version: w.version, Documents: catalogs.Documents()})
}

func (w *Wiring) runHost(a area) func(context.Context, func()) error {
	served := a.make(w.Own)
	served.Build = w.version
	return func(ctx context.Context, up func()) error {
		return announced(ctx, up, func(ctx context.Context, ready chan<- host.Addresses) error {
			return host.Run(ctx, served, w.Hosts[a.name], ready)
		})
	}
}

// announced runs a service that tells on a channel when it can be used.
func announced[T any](ctx context.Context, up func(), run func(context.Context, chan<- T) error) error {
	ready := make(chan T, 1)
	done := make(chan error, 1)
	go func() { done <- run(ctx, ready) }()
	select {
	case <-ready:
		up()
		return <-done
	case err := <-done:
		return err
	}
}
