package host

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// reportProgress tells the client, until the returned function is called, how
// many seconds its call has been running. It grows strictly, as MCP asks.
func (g *Gate) reportProgress(ctx context.Context, session *mcp.ServerSession, token json.RawMessage) (stop func()) {
	var value any
	if json.Unmarshal(token, &value) != nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(g.cfg.KeepAlive / 4)
		defer tick.Stop()
		for begun := time.Now(); ; {
			select {
			case <-ctx.Done():
				return
			case now := <-tick.C:
				// A client that stopped listening is no reason to stop working.
				_ = session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: value,
					Progress:      now.Sub(begun).Round(time.Millisecond).Seconds(),
					Message:       "Still working",
				})
			}
		}
	}()
	return func() { cancel(); <-done }
}
