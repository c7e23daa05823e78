package agent_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/agent"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// peerModules is the folder with servers that nobody here wrote. test/peers sets
// it: it installs them.
func peerModules(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("COMPORTA_PEERS")
	if dir == "" {
		t.Skip("SKIPPED: COMPORTA_PEERS names no node_modules; test/peers/run agent.mjs runs this")
	}
	return filepath.Join(dir, "@modelcontextprotocol")
}

// started starts an HTTP mode of server-everything and gives its base URL.
func startEverything(t *testing.T, mode string) string {
	t.Helper()
	script := filepath.Join(peerModules(t), "server-everything", "dist", "index.js")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	cmd := exec.Command("node", script, mode)
	cmd.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", port))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	for ctx := t.Context(); ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		if conn, err := net.DialTimeout("tcp", strings.TrimPrefix(url, "http://"), time.Second); err == nil {
			_ = conn.Close()
			break
		}
	}
	return url
}

// TestPeerEverything drives @modelcontextprotocol/server-everything over its three transports.
func TestPeerEverything(t *testing.T) {
	script := filepath.Join(peerModules(t), "server-everything", "dist", "index.js")
	for name, transport := range map[string]func(t *testing.T) agent.Transport{
		"stdio": func(*testing.T) agent.Transport { return agent.Stdio{Command: "node", Args: []string{script, "stdio"}} },
		"SSE":   func(t *testing.T) agent.Transport { return agent.SSE{URL: startEverything(t, "sse") + "/sse"} },
		"streamable HTTP": func(t *testing.T) agent.Transport {
			return agent.HTTP{URL: startEverything(t, "streamableHttp") + "/mcp"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			reached := transport(t)
			o := quick()
			var asked atomic.Int64
			o.Elicit = func(context.Context, string, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
				asked.Add(1)
				return &mcp.ElicitResult{Action: "decline"}, nil
			}
			m := agent.New(o)
			defer m.Close()
			if err := m.Connect(t.Context(), agent.Servers{"every": {Transport: reached}}); err != nil {
				t.Fatal(err)
			}
			if n := len(m.Tools()); n < 10 {
				t.Errorf("%d tools", n)
			}
			var wg sync.WaitGroup
			for i := range 10 {
				wg.Go(func() {
					r, err := m.Call(t.Context(), "mcp__every__get-sum", map[string]any{"a": i, "b": 1})
					if err != nil || !strings.Contains(r.Text(), fmt.Sprint(i+1)) {
						t.Errorf("answer %v, error %v", r, err)
					}
				})
			}
			wg.Wait()
			r, err := m.Call(t.Context(), "mcp__every__get-tiny-image", nil)
			if err != nil || !strings.Contains(r.Text(), "[image, image/png") {
				t.Errorf("image: %v, %v", r, err)
			}
			var told atomic.Int64
			if _, err := m.Call(t.Context(), "mcp__every__trigger-long-running-operation", map[string]any{"duration": 1, "steps": 4},
				agent.OnProgress(func(agent.Progress) { told.Add(1) })); err != nil || told.Load() == 0 {
				t.Errorf("%d steps told, error %v", told.Load(), err)
			}
			if _, err := m.Call(t.Context(), "mcp__every__trigger-elicitation-request", nil); err != nil || asked.Load() != 1 {
				t.Errorf("asked %d times, error %v", asked.Load(), err)
			}
			resources, err := m.Resources(t.Context())
			if err != nil || len(resources) == 0 {
				t.Fatalf("%d resources, error %v", len(resources), err)
			}
			if contents, err := m.Read(t.Context(), "every", resources[0].URI); err != nil || len(contents) == 0 {
				t.Errorf("contents %v, error %v", contents, err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			if _, err := m.Call(ctx, "mcp__every__trigger-long-running-operation", map[string]any{"duration": 30, "steps": 1}); err == nil {
				t.Error("a call of 30 s ended in 300 ms")
			}
			if r, err := m.Call(t.Context(), "mcp__every__echo", map[string]any{"message": "after"}); err != nil || !strings.Contains(r.Text(), "after") {
				t.Errorf("after a cancelled call: %v, %v", r, err)
			}
		})
	}
	http.DefaultClient.CloseIdleConnections()
}

// TestPeerFilesystem drives @modelcontextprotocol/server-filesystem on a folder.
func TestPeerFilesystem(t *testing.T) {
	script := filepath.Join(peerModules(t), "server-filesystem", "dist", "index.js")
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := manager(t, quick())
	cfg := agent.ServerConfig{Transport: agent.Stdio{Command: "node", Args: []string{script, folder}}, Deny: []string{"move_*", "edit_*"}}
	if err := m.Connect(t.Context(), agent.Servers{"files": cfg}); err != nil {
		t.Fatal(err)
	}
	for _, tool := range m.Tools() {
		if strings.HasPrefix(tool.Remote, "move_") {
			t.Errorf("%s is there", tool.Name)
		}
	}
	file, text := filepath.Join(folder, "a.txt"), strings.Repeat("ação\n", 50_000)
	if _, err := m.Call(t.Context(), "mcp__files__write_file", map[string]any{"path": file, "content": text}); err != nil {
		t.Fatal(err)
	}
	r, err := m.Call(t.Context(), "mcp__files__read_text_file", map[string]any{"path": file})
	if err != nil || r.Text() != text {
		t.Errorf("%d bytes of %d, error %v", len(agent.Answer(r, err)), len(text), err)
	}
	_, err = m.Call(t.Context(), "mcp__files__read_text_file", map[string]any{"path": "/etc/passwd"})
	if err == nil || !strings.Contains(err.Error(), "denied") {
		t.Errorf("outside of the folder: %v", err)
	}
}
