// Command comporta-sandbox serves every area's documents as a stand-in for the
// platform's API. See the sandbox package and its README.
package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/comporta-mcp/comporta/services/catalogs"
	"github.com/comporta-mcp/comporta/services/internal/process"
	"github.com/comporta-mcp/comporta/services/sandbox"
)

func main() {
	os.Exit(process.Main(process.Program[sandbox.Config]{
		Name:     "comporta-sandbox",
		About:    "A stand-in for the platform's API, from the areas' own OpenAPI documents.",
		Defaults: sandbox.Defaults(),
		Run: func(ctx context.Context, cfg sandbox.Config) error {
			cfg.Log = slog.New(slog.NewJSONHandler(os.Stderr, nil))
			return sandbox.Run(ctx, cfg, catalogs.Documents(), nil)
		},
	}))
}
