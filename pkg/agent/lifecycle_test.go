package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/comporta-mcp/comporta/pkg/agent"
)

// settled is the number of goroutines once it no longer falls.
func settled() int {
	n := runtime.NumGoroutine()
	for range 100 {
		time.Sleep(5 * time.Millisecond)
		now := runtime.NumGoroutine()
		if now >= n {
			return now
		}
		n = now
	}
	return n
}

// TestAHundredConnectionsLeaveNothing: neither goroutines nor child processes.
func TestAHundredConnectionsLeaveNothing(t *testing.T) {
	stateless := serve(t, streamable(t, &mcp.StreamableHTTPOptions{Stateless: true}))
	for name, c := range map[string]struct {
		server func() agent.ServerConfig
		times  int
	}{
		"HTTP":            {func() agent.ServerConfig { return agent.ServerConfig{Transport: agent.HTTP{URL: stateless}} }, 100},
		"this process":    {func() agent.ServerConfig { return agent.ServerConfig{Transport: inProcess()} }, 100},
		"child processes": {func() agent.ServerConfig { return childServer("") }, 20},
	} {
		t.Run(name, func(t *testing.T) {
			round := func() {
				m := agent.New(quick())
				defer func() { _ = m.Close() }()
				if err := m.Connect(t.Context(), agent.Servers{"s": c.server()}); err != nil {
					t.Fatal(err)
				}
				if _, err := m.Call(t.Context(), "mcp__s__echo", map[string]any{"text": "a"}); err != nil {
					t.Fatal(err)
				}
			}
			round()
			before := settled()
			for range c.times {
				round()
			}
			if after := settled(); after > before+3 { // connections that idle in the test server's pool
				t.Errorf("%d goroutines before, %d after %d connections", before, after, c.times)
			}
			if left := children(t); left != "" {
				t.Errorf("processes left:\n%s", left)
			}
		})
	}
}

// TestCloseWinsWhateverRuns: nothing that runs beside Close outlives it.
func TestCloseWinsWhateverRuns(t *testing.T) {
	url := serve(t, streamable(t, &mcp.StreamableHTTPOptions{Stateless: true}))
	for range 30 {
		m := agent.New(quick())
		ctx := t.Context()
		cfg := agent.ServerConfig{Transport: agent.HTTP{URL: url}}
		var wg sync.WaitGroup
		for _, work := range []func(){
			func() { _ = m.Connect(ctx, agent.Servers{"a": cfg, "b": {Transport: inProcess()}}) },
			func() { _ = m.Replace(ctx, "a", agent.ServerConfig{Transport: inProcess()}) },
			func() { _ = m.Enable(ctx, "a"); _ = m.Disable("a"); _ = m.Enable(ctx, "a") },
			func() { _, _ = m.Call(ctx, "mcp__a__echo", map[string]any{"text": "a"}) },
			func() { _ = m.Status(); _ = m.Tools() },
		} {
			wg.Go(work)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		if _, err := m.Call(ctx, "mcp__a__echo", nil); !errors.Is(err, agent.ErrClosed) {
			t.Fatalf("a call after Close: %v", err)
		}
		for _, s := range m.Status() {
			if s.State == agent.Connected || s.State == agent.Connecting {
				t.Fatalf("%s is %s after Close", s.Server, s.State)
			}
		}
	}
}

func TestACallWithoutArgumentsHasNone(t *testing.T) {
	s := agent.NewServer("s", "1")
	agent.AddTool(s, agent.Tool{Name: "now"}, func(context.Context, struct{}) (string, error) { return "noon", nil })
	m := manager(t, quick())
	if err := m.Connect(t.Context(), agent.Servers{"s": {Transport: s}}); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string]any{"nil": nil, "empty JSON": json.RawMessage(nil), "an empty object": json.RawMessage("{}"), "a nil map": map[string]any(nil)} {
		if r, err := m.Call(t.Context(), "mcp__s__now", args); err != nil || r.Text() != "noon" {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

func TestAResourceThatPanicsFailsAlone(t *testing.T) {
	s := agent.NewServer("s", "1")
	s.AddResource(mcp.Resource{URI: "test://page", Name: "page"}, func(context.Context) (string, error) { panic("no page") })
	m := manager(t, quick())
	if err := m.Connect(t.Context(), agent.Servers{"s": {Transport: s}}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Read(t.Context(), "s", "test://page"); err == nil || !strings.Contains(err.Error(), "no page") {
		t.Errorf("%v", err)
	}
}

func TestWhereAProxyIsAsked(t *testing.T) {
	for name, c := range map[string]struct{ url, id, want string }{
		"the id is one segment":    {"/v1", "a/b", "/v1/a%2Fb"},
		"a query stays at the end": {"/v1/?tenant=7", "a", "/v1/a?tenant=7"},
		"the id has its place":     {"/v1/{server_id}/mcp?tenant=7", "a", "/v1/a/mcp?tenant=7"},
		"no id of a folder":        {"/v1", "..", ""},
	} {
		t.Run(name, func(t *testing.T) {
			asked := make(chan string, 10)
			behind := streamable(t, &mcp.StreamableHTTPOptions{Stateless: true})
			url := serve(t, recorded(asked, behind))
			m := manager(t, quick())
			err := m.Connect(t.Context(), agent.Servers{"s": {Transport: agent.Proxy{URL: url + c.url, ID: c.id}}})
			if c.want == "" {
				if err == nil || len(asked) > 0 {
					t.Errorf("%v, %d requests", err, len(asked))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := <-asked; got != c.want {
				t.Errorf("asked at %s, want %s", got, c.want)
			}
		})
	}
}

// recorded notes where a handler is asked.
func recorded(asked chan<- string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked <- r.URL.RequestURI():
		default:
		}
		h.ServeHTTP(w, r)
	})
}
