// Command comporta-bridge carries MCP between a client that only starts local
// processes and a remote server.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// version is the build's; the linker sets it.
var version = "dev"

const usage = `comporta-bridge carries MCP between stdin/stdout and a remote server.

  comporta-bridge URL [flags]      be a local server in front of URL, an area's /mcp
  comporta-bridge connect [flags]  put areas into a client's configuration, and try them
  comporta-bridge tools URL        list what an agent gets there
  comporta-bridge call URL TOOL [ARGUMENTS]
                                   call one tool, its arguments a JSON object
  comporta-bridge logout URL       forget the sign-in for URL
  comporta-bridge version

A personal token is read from COMPORTA_TOKEN. Without one the bridge signs you in
with your browser when the server asks for it, and keeps that for next time.
"comporta-bridge URL --help" and "comporta-bridge connect --help" list the flags.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], system())
	stop()
	os.Exit(code)
}

// Exit codes.
const (
	good   = 0
	failed = 1
	misuse = 2
)

func run(ctx context.Context, args []string, s streams) int {
	if len(args) == 0 {
		fmt.Fprint(s.err, usage)
		return misuse
	}
	var err error
	switch args[0] {
	case "-h", "--help", "help":
		fmt.Fprint(s.out, usage)
	case "version", "--version":
		fmt.Fprintln(s.out, "comporta-bridge", version)
	case "connect":
		err = connectClient(ctx, args[1:], s)
	case "tools":
		err = listTools(ctx, args[1:], s)
	case "call":
		err = callTool(ctx, args[1:], s)
	case "logout":
		err = logout(args[1:])
	default:
		err = relay(ctx, args, s)
	}
	return s.told(err)
}
