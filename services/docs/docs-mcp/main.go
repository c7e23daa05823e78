// Command docs-mcp serves the docs area. `docs-mcp index` reads the sources once,
// stores their pages and ends.
package main

import (
	"os"
	"slices"

	"github.com/comporta-mcp/comporta/services/docs"
	"github.com/comporta-mcp/comporta/services/internal/areamain"
	"github.com/comporta-mcp/comporta/services/internal/process"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "index" {
		os.Args = slices.Delete(os.Args, 1, 2)
		os.Exit(process.Main(process.Program[docs.IndexConfig]{
			Name: "docs-mcp index", About: "Reads what docs-mcp searches and stores it for its next start.",
			Defaults: docs.IndexDefaults(), Run: docs.Index,
		}))
	}
	os.Exit(areamain.MainWith(docs.Defaults(), docs.With))
}
