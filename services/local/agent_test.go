package local

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/agent"
)

// TestAnAgentWorksWithEveryArea drives the five hosts with package agent, over each
// transport that leads to them: HTTP, a hosted proxy, and the bridge as a child.
func TestAnAgentWorksWithEveryArea(t *testing.T) {
	e := launch(t, fresh(t))
	token := map[string]string{"Authorization": "Token " + e.ready.Tokens["member"]}
	servers := agent.Servers{
		"bridged": {Transport: agent.Stdio{
			Command: buildBridge(t), Args: []string{e.ready.Areas["build"]}, Env: map[string]string{"COMPORTA_TOKEN": e.ready.Tokens["member"]},
		}},
		"proxied": {Transport: agent.Proxy{URL: hostedProxy(t, e.ready.Areas) + "/v1/{server_id}", ID: "secure", Headers: token}},
		"refused": {Transport: agent.HTTP{URL: e.ready.Areas["build"]}},
	}
	for area, address := range e.ready.Areas {
		servers[area] = agent.ServerConfig{Transport: agent.HTTP{URL: address, Headers: token}}
	}
	m := agent.New(agent.Options{Retry: &agent.Retry{Tries: 10}})
	defer m.Close()
	err := m.Connect(t.Context(), servers)
	refused, ok := errors.AsType[*agent.RefusedError](err)
	if !ok || refused.Status != http.StatusUnauthorized || refused.Message != "No authentication provided" {
		t.Errorf("error %v, want the one server without a token refused", err)
	}
	for _, st := range m.Status() {
		if (st.State == agent.Connected) != (st.Server != "refused") {
			t.Errorf("%s is %s: %v", st.Server, st.State, st.Err)
		}
	}

	// Twice as many calls at once as the limit of a second: the policy waits.
	var wg sync.WaitGroup
	for name := range servers {
		for range 3 {
			wg.Go(func() {
				if r, err := m.Call(t.Context(), "mcp__"+name+"__ping", nil); name != "refused" && (err != nil || !strings.Contains(r.Text(), `"ok":true`)) {
					t.Errorf("%s: %v, %v", name, r, err)
				}
			})
		}
	}
	wg.Wait()

	r, err := m.Call(t.Context(), "mcp__build__create_workload", map[string]any{"name": "agents-site", "idempotency_key": "site"})
	if err != nil {
		t.Fatal(err)
	}
	begun, ok := r.Operation()
	if !ok {
		t.Fatalf("no operation: %s", r.Text())
	}
	done, err := m.WaitOperation(t.Context(), "storage", begun.ID, nil) // any host tells
	if err != nil || done.State != agent.Succeeded || !strings.Contains(string(done.Result), "agents-site") {
		t.Errorf("operation %+v, error %v", done, err)
	}
	_, err = m.Call(t.Context(), "mcp__bridged__retrieve_application", map[string]any{"application_id": 999_999})
	if missing, ok := errors.AsType[*agent.ToolError](err); !ok || missing.Code != agent.NotFound || missing.Retryable() {
		t.Errorf("error %v", err)
	}
}

// buildBridge builds comporta-bridge and gives its path.
func buildBridge(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "comporta-bridge")
	out, err := exec.Command("go", "build", "-o", path, "../bridge/comporta-bridge").CombinedOutput()
	if err != nil {
		t.Fatalf("building the bridge: %v\n%s", err, out)
	}
	return path
}

// hostedProxy is a proxy that knows the areas by id.
func hostedProxy(t *testing.T, areas map[string]string) string {
	t.Helper()
	mux := http.NewServeMux()
	for area, address := range areas {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		mux.Handle(fmt.Sprintf("/v1/%s", area), &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: u.Scheme, Host: u.Host})
			r.Out.URL.Path = u.Path
		}})
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}
