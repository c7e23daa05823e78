package agent_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/agent"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// testServer is a server with the tests' tools, over any transport of go-sdk.
func testServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	addTestTools(s)
	s.AddResource(&mcp.Resource{URI: "test://page", Name: "page", MIMEType: "text/plain"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "test://page", Text: "read me"}}}, nil
		})
	return s
}

// serve serves a handler and gives its base URL.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

func streamable(t *testing.T, o *mcp.StreamableHTTPOptions) http.Handler {
	t.Helper()
	return streamableOf(t, testServer(), o)
}

// streamableOf serves a server; sessions that a client did not end, end with the test.
func streamableOf(t *testing.T, server *mcp.Server, o *mcp.StreamableHTTPOptions) http.Handler {
	t.Helper()
	t.Cleanup(func() {
		for s := range server.Sessions() {
			_ = s.Close()
		}
	})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, o)
}

// inProcess has the tests' tools as Go functions.
func inProcess() *agent.Server {
	type text struct {
		Text string `json:"text"`
	}
	s := agent.NewServer("test", "1")
	agent.AddTool(s, agent.Tool{Name: "echo"}, func(_ context.Context, in text) (string, error) { return in.Text, nil })
	agent.AddTool(s, agent.Tool{Name: "sleep"}, func(ctx context.Context, _ text) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})
	agent.AddTool(s, agent.Tool{Name: "progress"}, func(ctx context.Context, _ text) (string, error) {
		for i := range 3 {
			agent.ReportProgress(ctx, agent.Progress{Done: float64(i + 1), Total: 3, Text: "step"})
		}
		return "done", nil
	})
	s.AddResource(mcp.Resource{URI: "test://page", Name: "page"}, func(context.Context) (string, error) { return "read me", nil })
	return s
}

// hostedProxy is a small proxy in front of a real server: it knows servers by id.
func hostedProxy(t *testing.T) string {
	behind := streamable(t, &mcp.StreamableHTTPOptions{Stateless: true})
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/mcp/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("id") != "srv_1/a" || r.Header.Get("Authorization") != "Bearer proxy" {
			http.Error(w, "no such server", http.StatusNotFound)
			return
		}
		behind.ServeHTTP(w, r)
	})
	return serve(t, mux)
}

// TestEveryTransportDoesTheSame runs one list of demands over all transports.
func TestEveryTransportDoesTheSame(t *testing.T) {
	old := serve(t, mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return testServer() }, nil))
	for name, transport := range map[string]agent.Transport{
		"a child process":             childServer("").Transport,
		"HTTP without sessions":       agent.HTTP{URL: serve(t, streamable(t, &mcp.StreamableHTTPOptions{Stateless: true}))},
		"HTTP with sessions":          agent.HTTP{URL: serve(t, streamable(t, nil))},
		"HTTP with JSON answers":      agent.HTTP{URL: serve(t, streamable(t, &mcp.StreamableHTTPOptions{JSONResponse: true}))},
		"SSE":                         agent.SSE{URL: old},
		"this process":                inProcess(),
		"a proxy, the id appended":    agent.Proxy{URL: hostedProxy(t) + "/v1/mcp/", ID: "srv_1/a", Headers: map[string]string{"Authorization": "Bearer proxy"}},
		"a proxy, the id in the path": agent.Proxy{URL: hostedProxy(t) + "/v1/mcp/{server_id}", ID: "srv_1/a", Headers: map[string]string{"Authorization": "Bearer proxy"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := manager(t, quick())
			if err := m.Connect(t.Context(), agent.Servers{"s": {Transport: transport}}); err != nil {
				t.Fatal(err)
			}
			t.Run("tools carry the server's name", func(t *testing.T) {
				var names []string
				for _, tool := range m.Tools() {
					names = append(names, tool.Name)
					if !strings.Contains(string(tool.InputSchema), `"properties"`) {
						t.Errorf("%s has the schema %s", tool.Name, tool.InputSchema)
					}
				}
				if all := strings.Join(names, " "); !strings.Contains(all, "mcp__s__echo") || !strings.Contains(all, "mcp__s__sleep") {
					t.Errorf("tools %s", all)
				}
			})
			t.Run("many calls at once get each its own answer", func(t *testing.T) { callAtOnce(t, m) })
			t.Run("a cancelled call returns and the next one works", func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				var wg sync.WaitGroup
				wg.Go(func() {
					if _, err := m.Call(ctx, "mcp__s__sleep", map[string]any{"text": ""}); !errors.Is(err, context.Canceled) && name != "this process" {
						t.Errorf("error %v, want context.Canceled", err)
					}
				})
				cancel()
				wg.Wait()
				callAtOnce(t, m)
			})
			if name != "HTTP with JSON answers" { // no way to tell progress
				t.Run("a callback may call back", func(t *testing.T) { callBack(t, m) })
			}
			if name != "a child process" && name != "SSE" {
				t.Run("a resource is listed and read", func(t *testing.T) { readPage(t, m) })
			}
		})
	}
}

func callAtOnce(t *testing.T, m *agent.Manager) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			want := strings.Repeat("ação ", i)
			r, err := m.Call(t.Context(), "mcp__s__echo", map[string]any{"text": want})
			if err != nil || r.Text() != want {
				t.Errorf("answer %v, error %v", r, err)
			}
		})
	}
	wg.Wait()
}

// callBack is B43: what is told during a call may use the client. The call ends
// only after the calls inside have arrived.
func callBack(t *testing.T, m *agent.Manager) {
	t.Helper()
	var told atomic.Int64
	r, err := m.Call(t.Context(), "mcp__s__progress", map[string]any{"text": ""}, agent.OnProgress(func(p agent.Progress) {
		if r, err := m.Call(t.Context(), "mcp__s__echo", map[string]any{"text": "inside"}); err != nil || r.Text() != "inside" {
			t.Errorf("the call inside: %v, %v", r, err)
		}
		if p.Total == 3 && p.Text == "step" {
			told.Add(1)
		}
	}))
	if err != nil || r.Text() != "done" {
		t.Fatalf("answer %v, error %v", r, err)
	}
	if n := told.Load(); n != 3 {
		t.Errorf("progress was told %d times, want 3", n)
	}
}

func readPage(t *testing.T, m *agent.Manager) {
	t.Helper()
	all, err := m.Resources(t.Context())
	if err != nil || len(all) != 1 || all[0].Server != "s" || all[0].URI != "test://page" {
		t.Fatalf("resources %+v, error %v", all, err)
	}
	contents, err := m.Read(t.Context(), "s", "test://page")
	if err != nil || len(contents) != 1 || contents[0].Text != "read me" {
		t.Errorf("contents %+v, error %v", contents, err)
	}
}
