package swarm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// agent is a client with one personal token. It knows just enough MCP to call tools.
type agent struct {
	token string
	http  *http.Client
}

func newAgent(token string) *agent {
	return &agent{token: token, http: &http.Client{
		Timeout: 20 * time.Second,
		// No connection is kept, so that a killed host costs one call and no more.
		Transport: &http.Transport{DisableKeepAlives: true},
	}}
}

// answered counts the calls that any agent got a tool's answer to.
var answered atomic.Int64

// answer is a tool's answer.
type answer struct {
	status  int // HTTP
	isError bool
	value   map[string]any
}

func (a answer) code() string { code, _ := a.value["code"].(string); return code }

func (a answer) String() string {
	text, _ := json.Marshal(a.value)
	return fmt.Sprintf("%d %s", a.status, text)
}

var errNoAnswer = errors.New("no answer")

// call calls a tool once. The error means that no answer came.
func (a *agent) call(ctx context.Context, base, tool string, args map[string]any) (answer, error) {
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": args},
	})
	if err != nil {
		return answer{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/mcp", bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Authorization", "Token "+a.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := a.http.Do(req)
	if err != nil {
		return answer{}, fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}, fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	return parse(resp.StatusCode, text)
}

func parse(status int, text []byte) (answer, error) {
	var message struct {
		Result struct {
			IsError bool `json:"isError"`
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"result"`
		Error map[string]any `json:"error"`
	}
	if err := json.Unmarshal(text, &message); err != nil {
		return answer{}, fmt.Errorf("%d with %q: %w", status, text, err)
	}
	a := answer{status: status, isError: message.Result.IsError, value: message.Error}
	if len(message.Result.Content) > 0 {
		answered.Add(1)
		if err := json.Unmarshal([]byte(message.Result.Content[0].Text), &a.value); err != nil {
			return answer{}, fmt.Errorf("content is no JSON: %q: %w", message.Result.Content[0].Text, err)
		}
	}
	return a, nil
}

// insist repeats a call as a good agent does: when no answer came, on 503, and
// where the answer says that the same call may work.
func (a *agent) insist(ctx context.Context, bases []string, tool string, args map[string]any) (answer, error) {
	var last error
	for try := 0; ctx.Err() == nil; try++ {
		got, err := a.call(ctx, bases[try%len(bases)], tool, args)
		retryable, _ := got.value["reintentable"].(bool)
		switch {
		case err == nil && got.status == http.StatusOK && (!got.isError || !retryable):
			return got, nil
		case err != nil:
			last = err
		default:
			last = errors.New(got.String())
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	return answer{}, fmt.Errorf("%s: %w; the last: %w", tool, context.Cause(ctx), last)
}
