// Package agent is the agent's side of MCP: it connects any servers, by five
// transports, with one value of configuration, and gives their tools to a model.
//
//	m := agent.New(agent.Options{})
//	defer m.Close()
//	err := m.Connect(ctx, agent.Servers{
//		"build": {Transport: agent.HTTP{URL: "https://build-mcp.example.com/mcp"}},
//		"files": {Transport: agent.Stdio{Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-filesystem", "."}}},
//	})
//	result, err := m.Call(ctx, "mcp__build__list_applications", map[string]any{"limit": 10})
//
// It owns the connections: when to start, to repeat, to give up, and why a server
// is not there; what a tool is called towards a model; and the structured errors
// and long operations of Comporta's servers as Go values. It leaves the protocol
// to go-sdk, signing in to package oauth, and the configuration files of other
// clients to package mcpconfig.
//
// Every method of a [Manager] may be called from many goroutines at once. No lock
// is held while a server works or a callback runs, so callbacks may call back.
// After Close no goroutine and no child process is left.
package agent
