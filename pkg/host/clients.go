package host

import "fmt"

// client is how one of the common MCP clients is connected: Lines with the
// sign-in that it opens by itself, Token with a personal token in a header.
type client struct {
	Name         string
	How          sentence
	Lines, Token string
}

// placeholder stands where people put their own token.
const placeholder = "Token <your personal token>"

func clientsFor(name, endpoint string) []client {
	plain := fmt.Sprintf("%q: { \"type\": \"http\", \"url\": %q }", name, endpoint)
	header := fmt.Sprintf("%q: { \"type\": \"http\", \"url\": %q, \"headers\": { \"Authorization\": %q } }", name, endpoint, placeholder)
	inside := func(key, entry string) string { return fmt.Sprintf("{\n  %q: {\n    %s\n  }\n}", key, entry) }
	return []client{
		{
			"Claude Code", pageText("Run this in your project, then /mcp in Claude Code to sign in."),
			fmt.Sprintf("claude mcp add --transport http %s %s", name, endpoint),
			fmt.Sprintf("claude mcp add --transport http %s %s \\\n  --header \"Authorization: %s\"", name, endpoint, placeholder),
		},
		{
			"Claude Desktop", pageText("It starts local programs only. Put this into its claude_desktop_config.json; it needs Node."),
			inside("mcpServers", fmt.Sprintf("%q: { \"command\": \"npx\", \"args\": [\"mcp-remote\", %q] }", name, endpoint)),
			inside("mcpServers", fmt.Sprintf("%q: {\n      \"command\": \"npx\",\n      \"args\": [\"mcp-remote\", %q,\n               \"--header\", \"Authorization: ${COMPORTA_TOKEN}\"],\n      \"env\": { \"COMPORTA_TOKEN\": %q }\n    }", name, endpoint, placeholder)),
		},
		{"Cursor", pageText("Put this into %s.", "~/.cursor/mcp.json"), inside("mcpServers", plain), inside("mcpServers", header)},
		{"VS Code", pageText("Put this into %s of your project.", ".vscode/mcp.json"), inside("servers", plain), inside("servers", header)},
		{
			"Codex", pageText("Put this into %s, then run %s.", "~/.codex/config.toml", "codex mcp login "+name),
			fmt.Sprintf("[mcp_servers.%s]\nurl = %q", name, endpoint),
			fmt.Sprintf("[mcp_servers.%s]\nurl = %q\nhttp_headers = { Authorization = %q }", name, endpoint, placeholder),
		},
		{
			"curl", pageText("This needs no token. For other tools add %s.", "-H \"Authorization: "+placeholder+"\""),
			fmt.Sprintf("curl -sS %s \\\n  -H 'Content-Type: application/json' \\\n  -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"ping\",\"arguments\":{}}}'", endpoint),
			"",
		},
	}
}
