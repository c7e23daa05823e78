package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/comporta-mcp/comporta/services/docs/internal/yardstick"
)

// askDocs starts Comporta with the corpora and asks docs-mcp over MCP.
func askDocs(ctx context.Context, o options, questions []yardstick.Question) error {
	child, err := start(ctx, o)
	if err != nil {
		return err
	}
	defer child.stop()
	door := door{url: child.ready.Areas["docs"] + "/search", token: child.ready.Tokens["member"]}
	begun := time.Now()
	if err := whenIndexed(ctx, door); err != nil {
		return err
	}
	fmt.Printf("docs-mcp: searching %s after it took requests\n", time.Since(begun).Round(100*time.Millisecond))
	err = writeRun(o.run("docs-mcp"), questions, func(q yardstick.Question) ([]string, error) { return ask(ctx, door, q) })
	fmt.Println("docs-mcp:", child.memory())
	return err
}

// door is an MCP address. Its servers keep no sessions, so that a call is one
// request; the real clients are tried in test/peers.
type door struct{ url, token string }

// callTool gives the text of a result.
func (d door) callTool(ctx context.Context, name string, args map[string]any) (string, error) {
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": name, "arguments": args},
	})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Token "+d.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var message struct {
		Result struct{ Content []struct{ Text string } }
		Error  *struct{ Message string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&message); err != nil {
		return "", fmt.Errorf("status %d: %w", answer.StatusCode, err)
	}
	if message.Error != nil || len(message.Result.Content) == 0 {
		return "", fmt.Errorf("status %d: %+v", answer.StatusCode, message.Error)
	}
	return message.Result.Content[0].Text, nil
}

// whenIndexed waits until every tool searches.
func whenIndexed(ctx context.Context, d door) error {
	for _, c := range yardstick.Config("").Collections {
		if _, err := call(ctx, d, c.Tool, map[string]any{"query": "cache"}); err != nil {
			return err
		}
	}
	return nil
}

func ask(ctx context.Context, d door, q yardstick.Question) ([]string, error) {
	tool, language := yardstick.Tool(q.Corpus)
	args := map[string]any{"query": q.Query, "docsAmount": depth}
	if language != "" {
		args["language"] = language
	}
	return call(ctx, d, tool, args)
}

// answer is what is read of a result, good or bad.
type answer struct {
	Results []struct{ Source string }
	Missing []struct{ Source, Reason string }
	Error   bool
	What    string `json:"que_paso"`
	Repeat  bool   `json:"reintentable"`
	After   int    `json:"reintentar_en_segundos"`
}

// call repeats as the answer says: a link may make ten calls a second.
func call(ctx context.Context, d door, tool string, args map[string]any) ([]string, error) {
	for range 120 {
		text, err := d.callTool(ctx, tool, args)
		if err != nil {
			return nil, err
		}
		var a answer
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			return nil, err
		}
		switch {
		case !a.Error && len(a.Missing) > 0:
			return nil, fmt.Errorf("%s lacks %v", tool, a.Missing)
		case !a.Error:
			var sources []string
			for _, r := range a.Results {
				sources = append(sources, r.Source)
			}
			return sources, nil
		case !a.Repeat:
			return nil, fmt.Errorf("%s: %s", tool, a.What)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(time.Duration(max(a.After, 1)) * time.Second):
		}
	}
	return nil, fmt.Errorf("%s is still not ready", tool)
}

// ready is what of ready.json is needed.
type ready struct {
	Areas  map[string]string
	Tokens map[string]string
}

func readReady(home string) (ready, error) {
	data, err := os.ReadFile(filepath.Join(home, "ready.json"))
	if err != nil {
		return ready{}, err
	}
	var r ready
	return r, json.Unmarshal(data, &r)
}
