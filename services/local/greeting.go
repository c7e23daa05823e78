package local

import (
	"fmt"
	"strings"
)

// Greeting is what `make run` prints: the addresses, a token, and the lines to
// paste into an agent's configuration.
func (r Ready) Greeting(cfg Config) string {
	var b strings.Builder
	fmt.Fprintln(&b, "Comporta is ready.")
	fmt.Fprintln(&b)
	for _, a := range areas {
		fmt.Fprintf(&b, "  %-8s %s\n", a.name, r.Areas[a.name])
	}
	fmt.Fprintln(&b)
	fmt.Fprintf(&b, "  A personal token of the sandbox platform:  %s\n", r.Tokens["member"])
	fmt.Fprintf(&b, "  More people and addresses:                 %s\n", cfg.dir(readyFile))
	fmt.Fprintf(&b, "  Your agents, and how to stop them:         %s/me\n", r.Auth)
	fmt.Fprintf(&b, "  What build-mcp can do, for people:         %s\n", strings.TrimSuffix(r.Areas["build"], "/mcp"))
	fmt.Fprintln(&b)
	fmt.Fprintln(&b, "Claude Code:")
	fmt.Fprintf(&b, "  claude mcp add --transport http build %s --header \"Authorization: Token %s\"\n", r.Areas["build"], r.Tokens["member"])
	fmt.Fprintln(&b)
	fmt.Fprintln(&b, "Other clients (mcpServers):")
	fmt.Fprintf(&b, "  {\"mcpServers\": {\"build\": {\"type\": \"http\", \"url\": %q,\n    \"headers\": {\"Authorization\": \"Token %s\"}}}}\n", r.Areas["build"], r.Tokens["member"])
	fmt.Fprintln(&b)
	fmt.Fprintln(&b, "Ctrl-C stops it. The next start finds all data again.")
	return b.String()
}
