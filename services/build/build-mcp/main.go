// Command build-mcp serves the build area.
package main

import (
	"os"

	"github.com/comporta-mcp/comporta/services/build"
	"github.com/comporta-mcp/comporta/services/internal/areamain"
)

func main() {
	os.Exit(areamain.Main(build.Area))
}
