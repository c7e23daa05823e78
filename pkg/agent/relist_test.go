package agent_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/agent"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestAListThatChangesWhileItIsListedIsReadAgain: the news comes while the server
// is still being connected.
func TestAListThatChangesWhileItIsListedIsReadAgain(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "changing", Version: "1"}, nil)
	add := func(name string) {
		mcp.AddTool(server, &mcp.Tool{Name: name}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{}, nil, nil
		})
	}
	add("early")
	var listed atomic.Int64
	told := make(chan struct{}, 1)
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, req)
			if method == "tools/list" && listed.Add(1) == 1 {
				add("late")
				<-told // the news is on its way before the answer
			}
			return result, err
		}
	})
	server.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, req)
			if method == "notifications/tools/list_changed" {
				select {
				case told <- struct{}{}:
				default:
				}
			}
			return result, err
		}
	})
	changed := make(chan string, 10)
	o := quick()
	o.Changed = func(name string) { changed <- name }
	m := manager(t, o)
	if err := m.Connect(t.Context(), agent.Servers{"s": {Transport: agent.HTTP{URL: serve(t, streamableOf(t, server, nil))}}}); err != nil {
		t.Fatal(err)
	}
	for len(names(m)) < 2 {
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatal(names(m))
		}
	}
}
