// Package mcpconfig reads the configuration that people already have for other
// MCP clients: the JSON of Claude Desktop, Claude Code, Cursor, Windsurf, Gemini
// and Cline ("mcpServers"), that of VS Code ("servers", with comments), and the
// TOML of Codex ("mcp_servers").
//
//	servers, err := mcpconfig.ReadFile(".mcp.json")
//	err = errors.Join(err, m.Connect(ctx, servers))
//
// It owns the forms; what the servers then are is package agent's. Keys that are
// other clients' own business (icons, auto-approval) are passed over. Where files
// of a client lie, and how they are written, is the bridge's.
package mcpconfig
