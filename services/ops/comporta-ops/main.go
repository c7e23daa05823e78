// Command comporta-ops does what operators do beside running the services.
package main

import (
	"os"

	"github.com/comporta-mcp/comporta/services/internal/process"
	"github.com/comporta-mcp/comporta/services/ops"
)

func main() {
	os.Exit(process.MainOf("comporta-ops", "what operators do beside running the services", ops.Commands()...))
}
