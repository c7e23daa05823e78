// Command comporta-worker carries operations out.
package main

import (
	"context"
	"os"

	"github.com/comporta-mcp/comporta/services/catalogs"
	"github.com/comporta-mcp/comporta/services/internal/process"
	"github.com/comporta-mcp/comporta/services/worker"
)

func main() {
	os.Exit(process.Main(process.Program[worker.Config]{
		Name:     "comporta-worker",
		About:    "Carries Comporta's long-running operations out.",
		Defaults: worker.Defaults(),
		Run: func(ctx context.Context, cfg worker.Config) error {
			return worker.Run(ctx, cfg, worker.Deps{Version: process.Version, Documents: catalogs.Documents()})
		},
	}))
}
