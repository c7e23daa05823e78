// Command comporta runs all of Comporta on this machine, with a sandbox
// platform: nothing to configure.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/comporta-mcp/comporta/services/local"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "comporta:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	cfg, err := local.FromEnv(os.Getenv)
	if err != nil {
		return err
	}
	return local.Run(ctx, cfg, local.Options{
		Ready: func(r local.Ready) { fmt.Print(r.Greeting(cfg)) },
	})
}
