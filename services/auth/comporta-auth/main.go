// Command comporta-auth judges credentials for hosts and workers. Behind the word
// audit it proves that no audit record is missing or changed.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/comporta-mcp/comporta/services/auth"
	"github.com/comporta-mcp/comporta/services/catalogs"
	"github.com/comporta-mcp/comporta/services/internal/auditcmd"
	"github.com/comporta-mcp/comporta/services/internal/process"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "audit" {
		os.Exit(audit(os.Args[2:]))
	}
	os.Exit(process.Main(process.Program[auth.Config]{
		Name:     "comporta-auth",
		About:    "Judges credentials for Comporta's hosts and workers.\n\n" + auditcmd.Usage,
		Defaults: auth.Defaults(),
		Run: func(ctx context.Context, cfg auth.Config) error {
			return auth.Run(ctx, cfg, auth.Deps{Version: process.Version, Documents: catalogs.Documents()}, nil)
		},
	}))
}

// auditing is auth's own configuration, so that the command works where auth does.
type auditing struct {
	Auth    auth.Config `key:",inline"`
	Against string      `help:"audit verify: file that \"audit heads\" made earlier"`
}

func audit(args []string) int {
	if len(args) == 0 || !slices.Contains([]string{auditcmd.VerifyCommand, auditcmd.HeadsCommand}, args[0]) {
		fmt.Fprint(os.Stderr, auditcmd.Usage)
		return 2
	}
	return process.MainWith(process.Program[auditing]{
		Name:     "comporta-auth audit " + args[0],
		About:    auditcmd.Usage,
		Defaults: auditing{Auth: auth.Defaults()},
		Run: func(ctx context.Context, cfg auditing) error {
			return auditcmd.Run(ctx, cfg.Auth.NATS, args[0], cfg.Against, os.Stdout)
		},
	}, args[1:])
}
