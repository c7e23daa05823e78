package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/agent"
	"github.com/comporta-mcp/comporta/services/bridge/internal/connect"
)

// shown is how many tools are named per server.
const shown = 8

// try connects to the servers as the agent will, and tells what it gets.
func (p *plan) try(ctx context.Context, servers []connect.Server, s streams) error {
	header, err := p.header(s)
	if err != nil {
		return err
	}
	configured := agent.Servers{}
	for _, server := range servers {
		configured[server.Name] = agent.ServerConfig{Transport: agent.HTTP{URL: server.URL, Headers: flat(header)}}
	}
	m := p.manager(s)
	defer m.Close()
	failed := m.Connect(ctx, configured)
	tools := map[string][]string{}
	for _, t := range m.Tools() {
		if p.readOnly && !t.ReadOnly {
			continue
		}
		tools[t.Server] = append(tools[t.Server], t.Remote)
	}
	for _, st := range m.Status() {
		if st.State != agent.Connected {
			fmt.Fprintf(s.err, "%s: %v\n", st.Server, st.Err)
			continue
		}
		names := tools[st.Server]
		more := ""
		if len(names) > shown {
			more = ", ..."
		}
		fmt.Fprintf(s.err, "%s: connected, %d tools (%s%s)\n", st.Server, len(names), strings.Join(names[:min(shown, len(names))], ", "), more)
	}
	if failed != nil {
		return fmt.Errorf("not every server can be reached, so nothing was written (--no-test writes anyway): %w", failed)
	}
	return nil
}
