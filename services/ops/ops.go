// Package ops is what operators do beside running the services: one command each
// in the binary comporta-ops. Each has a configuration of its own, filled like
// that of a service. The work stands in internal/: backup (what NATS keeps, out
// to a folder and back), call (a call as clients make it), certificates. What
// the services do with it is their own.
package ops

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/services/internal/process"
)

// Commands are all of them, in the order of the help.
func Commands() []process.Command {
	return []process.Command{
		process.Program[Call]{
			Name: "comporta-ops call", About: "makes a real call in each area, as clients do",
			Defaults: callDefaults(), Run: func(ctx context.Context, c Call) error { return c.Run(ctx, os.Stdout) },
		}.Command("call"),
		process.Program[Backup]{
			Name: "comporta-ops backup", About: "writes what NATS keeps for Comporta into a folder",
			Run: func(ctx context.Context, c Backup) error { return c.Run(ctx, os.Stdout) },
		}.Command("backup"),
		process.Program[Restore]{
			Name: "comporta-ops restore", About: "brings a backup back; stop the services before",
			Run: func(ctx context.Context, c Restore) error { return c.Run(ctx, os.Stdout) },
		}.Command("restore"),
		process.Program[Rotate]{
			Name: "comporta-ops rotate-keys", About: "makes new keys for sealing, storing and signing, now",
			Run: func(ctx context.Context, c Rotate) error { return c.Run(ctx, os.Stdout) },
		}.Command("rotate-keys"),
		process.Program[Certificates]{
			Name: "comporta-ops certificates", About: "makes certificates for mutual TLS, as Secrets of Kubernetes",
			Defaults: certificatesDefaults(), Run: func(_ context.Context, c Certificates) error { return c.Run(os.Stdout) },
		}.Command("certificates"),
	}
}

// quiet is the log of what a command connects to: its own lines are its output.
func quiet() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

func connect(cfg bus.Config) (*bus.Bus, error) { return bus.Connect(cfg, "ops", quiet(), nil) }

func say(out io.Writer, format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
