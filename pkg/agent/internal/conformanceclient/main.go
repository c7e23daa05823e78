// Command conformanceclient is package agent behind the client side of the official
// MCP conformance suite, which starts it once per scenario (test/peers runs that):
// the argument is the server's address, MCP_CONFORMANCE_SCENARIO the scenario and
// MCP_CONFORMANCE_CONTEXT what it wants said.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/agent"
	"github.com/comporta-mcp/comporta/pkg/agent/oauth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, os.Args[len(os.Args)-1], os.Getenv("MCP_CONFORMANCE_SCENARIO")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// said is the scenario's context.
type said struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	ToolCalls    []call `json:"toolCalls"`
}

type call struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

func run(ctx context.Context, url, scenario string) error {
	var told said
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &told); err != nil {
			return fmt.Errorf("the scenario's context: %w", err)
		}
	}
	m := agent.New(options(scenario, told))
	defer m.Close()
	if err := m.Connect(ctx, agent.Servers{"suite": {Transport: agent.HTTP{URL: url}}}); err != nil {
		return err
	}
	for _, c := range calls(m, scenario, told) {
		if _, err := m.Call(ctx, "mcp__suite__"+c.Name, c.Arguments); err != nil {
			fmt.Fprintln(os.Stderr, err) // some scenarios want a refusal; the suite judges what it saw
		}
	}
	resources, err := m.Resources(ctx)
	for _, r := range resources[:min(1, len(resources))] {
		_, err = m.Read(ctx, r.Server, r.URI)
	}
	return err
}

func options(scenario string, told said) agent.Options {
	o := agent.Options{Name: "comporta-agent", Version: "conformance"}
	if strings.HasPrefix(scenario, "auth/") {
		o.SignIn = oauth.New(oauth.Config{
			ClientID: told.ClientID, ClientSecret: told.ClientSecret,
			MetadataURL: "https://conformance-test.local/client-metadata.json", Open: browse,
		}).For
	}
	if strings.Contains(scenario, "elicitation") || strings.Contains(scenario, "request-state") {
		o.Elicit = func(context.Context, string, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			content := map[string]any{}
			if strings.Contains(scenario, "request-state") {
				content["confirmed"] = true
			}
			return &mcp.ElicitResult{Action: "accept", Content: content}, nil
		}
	}
	return o
}

// browse is a person who agrees at once: the suite's page only redirects.
func browse(_ context.Context, page string) error {
	go func() {
		if resp, err := http.Get(page); err == nil {
			_ = resp.Body.Close()
		}
	}()
	return nil
}

// calls are what a scenario wants called: what it says itself, else its tools.
func calls(m *agent.Manager, scenario string, told said) []call {
	if len(told.ToolCalls) > 0 {
		return told.ToolCalls
	}
	var all []call
	for _, tool := range m.Tools() {
		c := call{Name: tool.Remote, Arguments: map[string]any{}}
		switch {
		case tool.Remote == "add_numbers":
			c.Arguments = map[string]any{"a": 5, "b": 3}
		case tool.Remote == "json_schema_echo":
			continue
		case scenario == "json-schema-2020-12-preservation":
			c = call{Name: "json_schema_echo", Arguments: map[string]any{"schema": tool.InputSchema}}
		case scenario == "http-invalid-tool-headers":
			c.Arguments = map[string]any{"region": "us-west1"}
		}
		all = append(all, c)
	}
	return all
}
