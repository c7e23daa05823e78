package host

import "fmt"

// client is how one of the common MCP clients is connected.
type client struct{ Name, How, Lines string }

// placeholder stands where people put their own token.
const placeholder = "Token <your personal token>"

// clientsFor gives the lines that connect with a personal token. The sign-in
// that clients open by themselves needs the authorization server, which this
// version does not have yet.
func clientsFor(name, endpoint string) []client {
	remote := fmt.Sprintf("%q: { \"type\": \"http\", \"url\": %q, \"headers\": { \"Authorization\": %q } }", name, endpoint, placeholder)
	return []client{
		{"Claude Code", "Run this in your project, with your token in it.",
			fmt.Sprintf("claude mcp add --transport http %s %s \\\n  --header \"Authorization: %s\"", name, endpoint, placeholder)},
		{"Claude Desktop", "It starts local programs only. Put this into its claude_desktop_config.json; it needs Node.",
			fmt.Sprintf("{\n  \"mcpServers\": {\n    %q: {\n      \"command\": \"npx\",\n      \"args\": [\"mcp-remote\", %q,\n               \"--header\", \"Authorization: ${COMPORTA_TOKEN}\"],\n      \"env\": { \"COMPORTA_TOKEN\": %q }\n    }\n  }\n}", name, endpoint, placeholder)},
		{"Cursor", "Put this into ~/.cursor/mcp.json.", "{\n  \"mcpServers\": {\n    " + remote + "\n  }\n}"},
		{"VS Code", "Put this into .vscode/mcp.json of your project.", "{\n  \"servers\": {\n    " + remote + "\n  }\n}"},
		{"Codex", "Put this into ~/.codex/config.toml.",
			fmt.Sprintf("[mcp_servers.%s]\nurl = %q\nhttp_headers = { Authorization = %q }", name, endpoint, placeholder)},
		{"curl", "This needs no token. For other tools add -H \"Authorization: " + placeholder + "\".",
			fmt.Sprintf("curl -sS %s \\\n  -H 'Content-Type: application/json' \\\n  -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"ping\",\"arguments\":{}}}'", endpoint)},
	}
}
