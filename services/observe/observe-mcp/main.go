// Command observe-mcp serves the observe area.
package main

import (
	"os"

	"github.com/comporta-mcp/comporta/services/internal/areamain"
	"github.com/comporta-mcp/comporta/services/observe"
)

func main() {
	os.Exit(areamain.MainWith(observe.Defaults(), observe.With))
}
