// Command comporta-auth serves auth.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/comporta-mcp/comporta/pkg/config"
	"github.com/comporta-mcp/comporta/services/auth"
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
		fmt.Fprintln(os.Stderr, "comporta-auth:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	cfg := auth.Defaults()
	err := config.Load(&cfg, config.Options{
		Name:    "comporta-auth",
		Version: version,
		About:   "Judges credentials for Comporta's hosts and workers.",
		Args:    args,
	})
	if err != nil {
		return err
	}
	return auth.Run(ctx, cfg, auth.Deps{Version: version}, nil)
}
