// Command docs-mcp serves the docs area.
package main

import (
	"os"

	"github.com/comporta-mcp/comporta/services/docs"
	"github.com/comporta-mcp/comporta/services/internal/areamain"
)

func main() {
	os.Exit(areamain.Main(docs.Area))
}
