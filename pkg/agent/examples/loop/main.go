// Command loop is a small agent: a language model behind an OpenAI-compatible
// endpoint, and the tools of any MCP servers.
//
//	MODEL_URL=http://localhost:11434/v1 MODEL=qwen3 COMPORTA_TOKEN=azion… \
//	  go run ./pkg/agent/examples/loop -config .mcp.json "Which applications do I have?"
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/agent"
	"github.com/comporta-mcp/comporta/pkg/agent/mcpconfig"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "loop:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	config := flag.String("config", ".mcp.json", "servers, in the form of any MCP client")
	flag.Parse()
	servers, err := mcpconfig.ReadFile(*config)
	if err != nil {
		return err
	}
	m := agent.New(agent.Options{Retry: &agent.Retry{}, Logger: slog.Default()})
	defer m.Close()
	if err := m.Connect(ctx, servers); err != nil {
		fmt.Fprintln(os.Stderr, err) // the servers that are there may do
	}
	model := model{url: os.Getenv("MODEL_URL"), key: os.Getenv("MODEL_KEY"), name: os.Getenv("MODEL")}
	answer, err := converse(ctx, m, model, strings.Join(flag.Args(), " "))
	if err != nil {
		return err
	}
	fmt.Println(answer)
	return nil
}
