// Command storage-mcp serves the storage area.
package main

import (
	"os"

	"github.com/comporta-mcp/comporta/services/internal/areamain"
	"github.com/comporta-mcp/comporta/services/storage"
)

func main() {
	os.Exit(areamain.Main(storage.Area))
}
