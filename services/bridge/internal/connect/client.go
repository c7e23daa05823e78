package connect

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Client is an MCP client whose configuration can be written.
type Client struct {
	ID    string
	Title string
	Next  string // what the person does then

	file  func(p Place) string
	key   string // the object of the servers in a JSON file; empty: Codex's TOML
	entry func(s Server) map[string]any
}

// Place is where a client's file can lie.
type Place struct {
	OS      string // as runtime.GOOS
	Home    string // the person's
	Config  string // the person's configuration folder
	Project string // the working folder
}

// Server is one entry to write.
type Server struct {
	Name     string
	URL      string
	TokenEnv string // the variable with a personal token; empty: the client signs in
	Bridge   string // the path of comporta-bridge; used where set, or where the client cannot do without
	ReadOnly bool   // which only the bridge can promise
}

// Clients are all that are known, by how often they are met.
var Clients = []Client{
	{
		ID: "claude-code", Title: "Claude Code", key: "mcpServers",
		Next:  "Start claude in this folder and type /mcp.",
		file:  func(p Place) string { return filepath.Join(p.Project, ".mcp.json") },
		entry: remote("http", "url", "${%s}"),
	},
	{
		ID: "claude-desktop", Title: "Claude Desktop", key: "mcpServers",
		Next: "Quit Claude Desktop and start it again.",
		file: func(p Place) string {
			dir := map[string]string{"darwin": filepath.Join(p.Home, "Library", "Application Support", "Claude")}[p.OS]
			if dir == "" {
				dir = filepath.Join(p.Config, "Claude")
			}
			return filepath.Join(dir, "claude_desktop_config.json")
		},
		entry: func(s Server) map[string]any { return local(s) },
	},
	{
		ID: "cursor", Title: "Cursor", key: "mcpServers",
		Next:  "Open Cursor's settings, MCP: the server must be green.",
		file:  func(p Place) string { return filepath.Join(p.Home, ".cursor", "mcp.json") },
		entry: remote("", "url", "${env:%s}"),
	},
	{
		ID: "vscode", Title: "VS Code", key: "servers",
		Next:  "Open the file in VS Code and press Start above the server.",
		file:  func(p Place) string { return filepath.Join(p.Project, ".vscode", "mcp.json") },
		entry: remote("http", "url", "${env:%s}"),
	},
	{
		ID: "codex", Title: "Codex",
		Next:  "Start codex and type /mcp.",
		file:  func(p Place) string { return filepath.Join(p.Home, ".codex", "config.toml") },
		entry: codex,
	},
	{
		ID: "gemini", Title: "Gemini CLI", key: "mcpServers",
		Next:  "Start gemini and type /mcp.",
		file:  func(p Place) string { return filepath.Join(p.Home, ".gemini", "settings.json") },
		entry: remote("", "httpUrl", "${%s}"),
	},
	{
		ID: "windsurf", Title: "Windsurf", key: "mcpServers",
		Next:  "Open Windsurf's settings, Cascade, and refresh the MCP servers.",
		file:  func(p Place) string { return filepath.Join(p.Home, ".codeium", "windsurf", "mcp_config.json") },
		entry: remote("", "serverUrl", "${env:%s}"),
	},
}

// Find is the client of that id.
func Find(id string) (Client, error) {
	i := slices.IndexFunc(Clients, func(c Client) bool { return c.ID == id })
	if i < 0 {
		return Client{}, fmt.Errorf("unknown client %q; known are %s", id, strings.Join(IDs(), ", "))
	}
	return Clients[i], nil
}

// IDs are the clients' ids.
func IDs() []string {
	var ids []string
	for _, c := range Clients {
		ids = append(ids, c.ID)
	}
	return ids
}

// File is where the client's configuration lies.
func (c Client) File(p Place) string { return c.file(p) }

// remote is the entry of a client that reaches servers itself: the key of its type,
// if it wants one, that of the address, and how it writes a variable.
func remote(kind, url, variable string) func(Server) map[string]any {
	return func(s Server) map[string]any {
		if s.Bridge != "" {
			return local(s)
		}
		entry := map[string]any{url: s.URL}
		if kind != "" {
			entry["type"] = kind
		}
		if s.TokenEnv != "" {
			entry["headers"] = map[string]any{"Authorization": "Token " + fmt.Sprintf(variable, s.TokenEnv)}
		}
		return entry
	}
}

// local is the entry of a client that starts the bridge.
func local(s Server) map[string]any {
	args := []any{s.URL}
	if s.TokenEnv != "" {
		args = append(args, "--token-env", s.TokenEnv)
	}
	if s.ReadOnly {
		args = append(args, "--read-only")
	}
	return map[string]any{"command": s.Bridge, "args": args}
}

// codex reaches servers itself, but writes no header with a word before the token;
// what it starts sees no variable that it is not told to hand on.
func codex(s Server) map[string]any {
	if s.Bridge == "" && s.TokenEnv == "" {
		return map[string]any{"url": s.URL}
	}
	entry := local(s)
	if s.TokenEnv != "" {
		entry["env_vars"] = []any{s.TokenEnv}
	}
	return entry
}

// NeedsBridge reports whether the client's entry for s would start the bridge.
func (c Client) NeedsBridge(s Server) bool {
	_, ok := c.entry(s)["command"]
	return ok
}
