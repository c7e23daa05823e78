package local

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
	"github.com/comporta-mcp/comporta/services/internal/auditcmd"
)

// Audit carries out "audit verify" or "audit heads" on the data folder: with the
// NATS server that runs on it, else with one for as long as the command takes.
func Audit(ctx context.Context, cfg Config, args []string, out io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("say which\n\n%s", auditcmd.Usage)
	}
	flags := flag.NewFlagSet("audit", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	against := flags.String("against", "", "")
	if err := flags.Parse(args[1:]); err != nil || flags.NArg() > 0 {
		return fmt.Errorf("audit %s takes --against FILE only\n\n%s", args[0], auditcmd.Usage)
	}
	nats := bus.Config{URL: "nats://" + address(cfg.port(natsPort))}
	if release, err := claim(cfg); err == nil { // nobody runs on it
		defer release()
		server, err := embedded.Start(embedded.Options{Dir: cfg.dir("nats"), Port: -1})
		if err != nil {
			return err
		}
		defer server.Stop()
		nats.URL = server.URL()
	}
	return auditcmd.Run(ctx, nats, args[0], *against, out)
}
