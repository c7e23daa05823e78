// Command comporta-sandbox serves every area's documents as a stand-in for the
// platform's API. See the sandbox package and its README.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/comporta-mcp/comporta/pkg/config"
	"github.com/comporta-mcp/comporta/services/catalogs"
	"github.com/comporta-mcp/comporta/services/sandbox"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:])
	if asked, ok := errors.AsType[*config.Asked](err); ok {
		fmt.Println(asked.Text)
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "comporta-sandbox:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	cfg := sandbox.Defaults()
	err := config.Load(&cfg, config.Options{
		Name:  "comporta-sandbox",
		About: "A stand-in for the platform's API, from the areas' own OpenAPI documents.",
		Args:  args,
	})
	if err != nil {
		return err
	}
	cfg.Log = slog.New(slog.NewJSONHandler(os.Stderr, nil))
	return sandbox.Run(ctx, cfg, catalogs.Documents(), nil)
}
