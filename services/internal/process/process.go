// Package process is what every service's main function shares: read the
// configuration, run until SIGINT or SIGTERM, say how it ended. Main wires, and
// only main exits.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	// The authorities of the public web, for images that hold nothing but a binary:
	// used where the machine has none of its own.
	_ "golang.org/x/crypto/x509roots/fallback"

	"github.com/comporta-mcp/comporta/pkg/config"
)

// Version is that of the build; the linker sets it.
var Version = "dev"

// Exit codes.
const (
	good          = 0
	failed        = 1
	misconfigured = 2
)

// Program is one binary. C is its configuration.
type Program[C any] struct {
	Name     string // the binary's
	About    string // one sentence for --help
	Defaults C
	Run      func(ctx context.Context, cfg C) error
}

// Main runs p with the process's arguments and environment and gives the exit code.
func Main[C any](p Program[C]) int { return MainWith(p, os.Args[1:]) }

// MainWith is Main with other arguments: those behind the words that chose p.
func MainWith[C any](p Program[C], args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return p.run(ctx, args, os.Environ(), os.Stdout, os.Stderr)
}

func (p Program[C]) run(ctx context.Context, args, env []string, out, faults io.Writer) int {
	cfg := p.Defaults
	err := config.Load(&cfg, config.Options{Name: p.Name, Version: Version, About: p.About, Args: args, Env: env})
	if asked, ok := errors.AsType[*config.Asked](err); ok {
		fmt.Fprintln(out, asked.Text)
		return good
	}
	if err != nil {
		fmt.Fprintln(faults, err)
		return misconfigured
	}
	if err := p.Run(ctx, cfg); err != nil && !(ctx.Err() != nil && errors.Is(err, context.Canceled)) {
		fmt.Fprintf(faults, "%s: %v\n", p.Name, err)
		return failed
	}
	return good
}
