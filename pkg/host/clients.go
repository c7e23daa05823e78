package host

import "fmt"

// client is how one of the common MCP clients is connected.
type client struct{ Name, How, Lines string }

func clientsFor(name, endpoint string) []client {
	return []client{
		{"Claude Code", "Run this in your project, then type /mcp and sign in.",
			fmt.Sprintf("claude mcp add --transport http %s %s", name, endpoint)},
		{"Claude Desktop", "Settings, Connectors, Add custom connector; give it a name and this address.", endpoint},
		{"Cursor", "Put this into ~/.cursor/mcp.json.",
			fmt.Sprintf("{\n  \"mcpServers\": {\n    %q: { \"url\": %q }\n  }\n}", name, endpoint)},
		{"VS Code", "Put this into .vscode/mcp.json of your project.",
			fmt.Sprintf("{\n  \"servers\": {\n    %q: { \"type\": \"http\", \"url\": %q }\n  }\n}", name, endpoint)},
		{"Codex", "Run this, then sign in when it asks.",
			fmt.Sprintf("codex mcp add %s --url %s", name, endpoint)},
		{"curl", "This needs no sign-in. For other tools add -H \"Authorization: Token <your personal token>\".",
			fmt.Sprintf("curl -sS %s \\\n  -H 'Content-Type: application/json' \\\n  -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"ping\",\"arguments\":{}}}'", endpoint)},
	}
}
