// Command comporta-auth judges credentials for hosts and workers.
package main

import (
	"context"
	"os"

	"github.com/comporta-mcp/comporta/services/auth"
	"github.com/comporta-mcp/comporta/services/catalogs"
	"github.com/comporta-mcp/comporta/services/internal/process"
)

func main() {
	os.Exit(process.Main(process.Program[auth.Config]{
		Name:     "comporta-auth",
		About:    "Judges credentials for Comporta's hosts and workers.",
		Defaults: auth.Defaults(),
		Run: func(ctx context.Context, cfg auth.Config) error {
			return auth.Run(ctx, cfg, auth.Deps{Version: process.Version, Documents: catalogs.Documents()}, nil)
		},
	}))
}
