package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"

	"github.com/comporta-mcp/comporta/pkg/telemetry"
)

// Addresses are where a host answers.
type Addresses struct {
	MCP   string // the URL of /mcp, as published
	Admin string // the admin port's base URL; "" where there is none
}

// Run serves an area until ctx ends, then lets running requests end and closes
// everything. It says on ready, if that is not nil, when it takes requests. It
// starts while auth and NATS are away; /readyz says when they were there.
func Run(ctx context.Context, area Area, cfg Config, ready chan<- Addresses) error {
	if err := cfg.Validate(); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	area, credentials, err := Mounted(area, cfg)
	if err != nil {
		return err
	}
	if os.Getenv("GOGC") == "" && cfg.GCPercent > 0 {
		debug.SetGCPercent(cfg.GCPercent) // of the whole process, as GOGC is
	}
	service := area.Name + "-mcp"
	tel, err := telemetry.Start(ctx, cfg.Telemetry, service, cmp.Or(area.Build, area.Version))
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), cfg.DrainTimeout)
		defer cancel()
		if err := tel.Close(closing); err != nil {
			tel.Log.Warn("telemetry did not close in time", "error", err)
		}
	}()
	listener, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer listener.Close()
	if cfg.PublicURL == "" {
		cfg.PublicURL = reachable(listener.Addr(), cfg.TLS.Cert != "")
	}
	parts, err := assemble(ctx, area, cfg, tel, credentials)
	if err != nil {
		return err
	}
	gate, err := New(area, cfg, parts.wiring())
	if err != nil {
		return errors.Join(err, parts.close(ctx))
	}
	parts.watch(area)
	parts.run(ctx, area)
	if ready != nil {
		ready <- Addresses{MCP: gate.at(mcpPath), Admin: tel.AdminURL()}
	}
	tel.Log.Info("serving", "mcp", gate.at(mcpPath), "tools", len(gate.tools))
	return errors.Join(serve(ctx, cfg, listener, gate, tel), parts.close(ctx))
}

// reachable is a URL for the listener that a client on this machine can use.
func reachable(addr net.Addr, secure bool) string {
	host := addr.String()
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = net.JoinHostPort("127.0.0.1", fmt.Sprint(tcp.Port))
	}
	if secure {
		return "https://" + host
	}
	return "http://" + host
}
