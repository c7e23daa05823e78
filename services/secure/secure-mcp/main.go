// Command secure-mcp serves the secure area.
package main

import (
	"os"

	"github.com/comporta-mcp/comporta/services/internal/areamain"
	"github.com/comporta-mcp/comporta/services/secure"
)

func main() {
	os.Exit(areamain.Main(secure.Area))
}
