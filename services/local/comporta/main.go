// Command comporta runs all of Comporta on this machine, with a sandbox
// platform: nothing to configure.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/comporta-mcp/comporta/services/internal/auditcmd"
	"github.com/comporta-mcp/comporta/services/internal/process"
	"github.com/comporta-mcp/comporta/services/local"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "comporta:", err)
		os.Exit(1)
	}
}

const usage = `comporta runs all of Comporta on this machine, with a sandbox platform.

"comporta audit verify [--against FILE]" and "comporta audit heads" look at the audit
of the data folder, whether Comporta runs or not:

` + auditcmd.Usage + `
Otherwise it takes no arguments. Two variables change where it lives:

  COMPORTA_HOME       the data folder (default ./.comporta)
  COMPORTA_PORT_BASE  the first of its ports (default 8100)

What an area has to set for its own tools is taken too, by the names that
"observe-mcp --help" prints. A language model for create_graphql_query, for
instance:

  COMPORTA_GRAPHQL_MODEL_URL   base URL of an OpenAI-compatible API
  COMPORTA_GRAPHQL_MODEL_NAME  the model there
  COMPORTA_GRAPHQL_MODEL_KEY   its key, or file:/path
`

func run(ctx context.Context, args []string) error {
	if len(args) > 0 && (args[0] == "-h" || args[0] == "--help") {
		fmt.Print(usage)
		return nil
	}
	audit := len(args) > 0 && args[0] == "audit"
	if len(args) > 0 && !audit {
		return fmt.Errorf("unknown argument %q\n\n%s", args[0], usage)
	}
	cfg, err := local.FromEnv(os.Environ())
	if err != nil {
		return err
	}
	if audit {
		return local.Audit(ctx, cfg, args[1:], os.Stdout)
	}
	return local.Run(ctx, cfg, local.Options{
		Version: process.Version,
		Ready:   func(r local.Ready) { fmt.Print(r.Greeting(cfg)) },
	})
}
