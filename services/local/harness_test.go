package local

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/quota"
)

// everything is a running Comporta under test.
type everything struct {
	t     *testing.T
	cfg   Config
	ready Ready
	stop  context.CancelFunc
	done  chan error
}

// fresh is a configuration with a data folder of its own and free ports.
func fresh(t *testing.T) Config {
	t.Helper()
	for range 50 {
		// Below the ports that systems give to outgoing connections.
		base := 10_000 + 50*rand.IntN(400)
		if checkFree(base) == nil {
			cfg := Defaults()
			cfg.Home, cfg.PortBase = t.TempDir(), base
			cfg.Own.Docs.Search.Offline = true // tests fetch nothing
			return cfg
		}
	}
	t.Fatal("no free ports were found")
	return Config{}
}

// lax makes NATS confirm before it has written to the disk, which tests need not wait for.
func lax(w *Wiring) { w.NATS.Lax = true }

// unhurried lets a test call as often as it likes.
func unhurried(w *Wiring) {
	calls := quota.Defaults()[quota.Calls]
	calls.Count = 1_000
	for area, h := range w.Hosts {
		h.Limits = map[string]quota.Limit{quota.Calls: calls}
		w.Hosts[area] = h
	}
}

// launch starts everything and waits until it is ready. It is stopped at the
// test's end where the test did not stop it.
func launch(t *testing.T, cfg Config, adjust ...func(*Wiring)) *everything {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	e := &everything{t: t, cfg: cfg, stop: stop, done: make(chan error, 1)}
	ready := make(chan Ready, 1)
	options := Options{
		Log:   slog.New(slog.DiscardHandler),
		Ready: func(r Ready) { ready <- r },
		Adjust: func(w *Wiring) {
			lax(w)
			for _, a := range adjust {
				a(w)
			}
		},
	}
	go func() { e.done <- Run(ctx, cfg, options) }()
	select {
	case e.ready = <-ready:
	case err := <-e.done:
		t.Fatalf("it did not start: %v", err)
	}
	t.Cleanup(func() {
		if e.done != nil {
			e.end()
		}
	})
	return e
}

// end stops everything and waits for it.
func (e *everything) end() {
	e.t.Helper()
	e.stop()
	if err := <-e.done; err != nil {
		e.t.Errorf("it did not stop cleanly: %v", err)
	}
	e.done = nil
	http.DefaultClient.CloseIdleConnections()
}

// ok calls a tool of the area as the person, with further headers ("Name: value"),
// and gives what it answers.
func (e *everything) ok(area, person, tool string, args map[string]any, headers ...string) map[string]any {
	e.t.Helper()
	status, message := e.call(area, person, tool, args, headers...)
	if message.Result.IsError || message.Result.StructuredContent == nil {
		e.t.Fatalf("%s: %d %v", tool, status, message.Result)
	}
	return message.Result.StructuredContent
}

// result is the answer to a tools/call.
type result struct {
	Result struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		StructuredContent map[string]any `json:"structuredContent"`
	} `json:"result"`
}

// call calls a tool and gives the HTTP status and the result.
func (e *everything) call(area, person, tool string, args map[string]any, headers ...string) (status int, message result) {
	e.t.Helper()
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args},
	})
	if err != nil {
		e.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(e.t.Context(), http.MethodPost, e.ready.Areas[area], bytes.NewReader(body))
	if err != nil {
		e.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Token "+e.ready.Tokens[person])
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		e.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		e.t.Fatal(err)
	}
	if err := json.Unmarshal(text, &message); err != nil {
		e.t.Fatalf("%s: %d %s", tool, response.StatusCode, text)
	}
	return response.StatusCode, message
}

// followed asks about an operation until it has ended.
func (e *everything) followed(area, person string, begun map[string]any) map[string]any {
	e.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		op := e.ok(area, person, "ver_operacion", map[string]any{"operacion_id": begun["operacion_id"]})
		if op["estado"] != "en_curso" {
			return op
		}
		select {
		case <-e.t.Context().Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	e.t.Fatalf("the operation did not end: %v", begun)
	return nil
}

// fails calls a tool of the area and gives the problem that it answers.
func (e *everything) fails(area, person, tool string, args map[string]any) map[string]any {
	e.t.Helper()
	status, message := e.call(area, person, tool, args)
	if !message.Result.IsError {
		e.t.Fatalf("%s: %d, want a problem: %v", tool, status, message.Result.StructuredContent)
	}
	return message.Result.StructuredContent
}

// names are the tools that the person sees in the area, with further headers.
func (e *everything) names(area, person string, headers ...string) (names []string) {
	e.t.Helper()
	request, err := http.NewRequestWithContext(e.t.Context(), http.MethodPost, e.ready.Areas[area],
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		e.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Token "+e.ready.Tokens[person])
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		e.t.Fatal(err)
	}
	defer response.Body.Close()
	var message struct {
		Result struct {
			Tools []struct {
				Name string `json:"name"`
			} `json:"tools"`
		} `json:"result"`
	}
	if err := json.NewDecoder(response.Body).Decode(&message); err != nil {
		e.t.Fatal(err)
	}
	for _, tool := range message.Result.Tools {
		names = append(names, tool.Name)
	}
	return names
}
