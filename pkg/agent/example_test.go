package agent_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/comporta-mcp/comporta/pkg/agent"
)

// A server in this process: a Go function becomes a tool in three lines.
func Example() {
	type zone struct {
		Zone string `json:"zone" jsonschema:"an IANA time zone"`
	}
	clock := agent.NewServer("clock", "1.0")
	agent.AddTool(clock, agent.Tool{Name: "zone_offset", ReadOnly: true}, func(_ context.Context, in zone) (string, error) {
		place, err := time.LoadLocation(in.Zone)
		if err != nil {
			return "", fmt.Errorf("no such zone; try Etc/UTC")
		}
		return time.Unix(0, 0).In(place).Format("-07:00"), nil
	})

	ctx := context.Background()
	m := agent.New(agent.Options{})
	defer m.Close()
	if err := m.Connect(ctx, agent.Servers{"clock": {Transport: clock}}); err != nil {
		fmt.Println(err)
	}
	for _, tool := range m.Tools() {
		fmt.Println(tool.Name)
	}
	fmt.Println(agent.Answer(m.Call(ctx, "mcp__clock__zone_offset", map[string]any{"zone": "Etc/UTC"})))
	fmt.Println(agent.Answer(m.Call(ctx, "mcp__clock__zone_offset", map[string]any{"zone": "Nowhere"})))
	// Output:
	// mcp__clock__zone_offset
	// +00:00
	// no such zone; try Etc/UTC
}

// One server that is not there does not stop the others, and says why.
func ExampleManager_Connect() {
	m := agent.New(agent.Options{Reconnect: agent.Reconnect{Tries: -1}})
	defer m.Close()
	err := m.Connect(context.Background(), agent.Servers{
		"here": {Transport: agent.NewServer("here", "1")},
		"gone": {Transport: agent.Stdio{Command: "a-program-that-is-not-there"}},
	})
	if gone, ok := errors.AsType[*agent.ServerError](err); ok {
		fmt.Println("not there:", gone.Server)
	}
	for _, st := range m.Status() {
		fmt.Println(st.Server, st.State)
	}
	// Output:
	// not there: gone
	// gone failed
	// here connected
}

// What a Comporta server refuses says whether and when to repeat.
func ExampleToolError() {
	repeat := func(err error) string {
		refused, ok := errors.AsType[*agent.ToolError](err)
		if !ok || !refused.Retryable() {
			return "leave it"
		}
		return fmt.Sprint("again after ", refused.After())
	}
	fmt.Println(repeat(&agent.ToolError{Code: agent.NotFound}))
	// Output: leave it
}
