package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync/atomic"
	"time"
)

// agent is a client with a personal token. It repeats a call once, as a plain client
// would, and counts what it saw.
type agent struct {
	token string
	area  string
	http  *http.Client
	seen  *counts
}

// counts are of all agents together.
type counts struct{ calls, repeated, failed atomic.Int64 }

const (
	patience   = 30 * time.Second // with one answer
	beforeNext = time.Second      // between a failure and its one repeat
)

func newAgent(o options, token string, seen *counts) *agent {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if o.through != "" {
		dialer := &net.Dialer{}
		transport.Proxy = nil
		transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, o.through)
		}
	}
	return &agent{token: token, area: o.area, seen: seen, http: &http.Client{Timeout: patience, Transport: transport}}
}

// call calls a tool, and once more where that did not work.
func (a *agent) call(ctx context.Context, tool string, args map[string]any) (map[string]any, error) {
	a.seen.calls.Add(1)
	value, err := a.once(ctx, tool, args)
	if err == nil {
		return value, nil
	}
	a.seen.repeated.Add(1)
	fmt.Fprintf(os.Stderr, "%s repeats %s: %v\n", time.Now().Format(time.TimeOnly), tool, err)
	time.Sleep(beforeNext)
	if value, err = a.once(ctx, tool, args); err != nil {
		a.seen.failed.Add(1)
		return nil, fmt.Errorf("%s failed twice: %w", tool, err)
	}
	return value, nil
}

func (a *agent) once(ctx context.Context, tool string, args map[string]any) (map[string]any, error) {
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args},
	})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.area+"/mcp", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Token "+a.token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := a.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	return read(response.StatusCode, text)
}

// read gives what a tool answered; an error where it answered with a problem, or not at all.
func read(status int, text []byte) (map[string]any, error) {
	var message struct {
		Error  *struct{ Message string }
		Result *struct {
			IsError           bool           `json:"isError"`
			StructuredContent map[string]any `json:"structuredContent"`
		}
	}
	switch err := json.Unmarshal(text, &message); {
	case status != http.StatusOK:
		return nil, fmt.Errorf("%d: %.300s", status, text)
	case err != nil:
		return nil, fmt.Errorf("the answer is no JSON: %.300s", text)
	case message.Error != nil:
		return nil, errors.New(message.Error.Message)
	case message.Result == nil || message.Result.IsError || message.Result.StructuredContent == nil:
		return nil, fmt.Errorf("a problem: %.300s", text)
	}
	return message.Result.StructuredContent, nil
}

// fetch reads what the sandbox tells at a path of its own.
func fetch(ctx context.Context, sandbox, path string, into any) error {
	at, err := url.Parse(sandbox)
	if err != nil {
		return fmt.Errorf("the sandbox's URL: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.Scheme+"://"+at.Host+path, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return json.NewDecoder(response.Body).Decode(into)
}
