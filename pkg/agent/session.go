package agent

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// dialer makes connections with one server.
type dialer interface {
	// dial connects. The session outlives ctx.
	dial(ctx context.Context, e events) (session, error)
}

// events is what a session tells on its own.
type events struct {
	toolsChanged func()
	elicit       func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) // nil: cannot be asked
}

// session is one live connection with a server: what can be listed, what can be
// done, and its life.
type session interface {
	lister
	caller
	life
}

type lister interface {
	tools(ctx context.Context) ([]*mcp.Tool, error)
	resources(ctx context.Context) ([]*mcp.Resource, error)
	about() ServerInfo
}

type caller interface {
	call(ctx context.Context, tool string, args json.RawMessage, progress func(Progress)) (*mcp.CallToolResult, error)
	read(ctx context.Context, uri string) ([]*mcp.ResourceContents, error)
}

type life interface {
	// done is closed when the connection is gone.
	done() <-chan struct{}
	// why says why it is gone. It is called after done.
	why() error
	// close ends the connection, its calls and its process, and waits for them.
	close()
}

// ServerInfo is what a server says about itself. None of it is verified.
type ServerInfo struct {
	Name, Title, Version string
	Protocol             string // the MCP version in use; empty in process
	Instructions         string // for the model: how the server's tools belong together
}
