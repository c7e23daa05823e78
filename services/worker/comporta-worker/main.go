// Command comporta-worker carries operations out.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/comporta-mcp/comporta/pkg/config"
	"github.com/comporta-mcp/comporta/services/catalogs"
	"github.com/comporta-mcp/comporta/services/worker"
)

// version is set by the linker.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if asked, ok := errors.AsType[*config.Asked](err); ok {
		fmt.Println(asked.Text)
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "comporta-worker:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	cfg := worker.Defaults()
	err := config.Load(&cfg, config.Options{
		Name:    "comporta-worker",
		Version: version,
		About:   "Carries Comporta's long-running operations out.",
		Args:    args,
	})
	if err != nil {
		return err
	}
	return worker.Run(ctx, cfg, worker.Deps{Version: version, Documents: catalogs.Documents()})
}
