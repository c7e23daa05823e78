package host_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/host"
)

// load sends the body again and again over kept connections.
func load(b *testing.B, url, body string, headers map[string]string) {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader([]byte(body)))
			if err != nil {
				b.Error(err)
				return
			}
			req.Header.Set("Content-Type", "application/json")
			for name, value := range headers {
				req.Header.Set(name, value)
			}
			resp, err := client.Do(req)
			if err != nil {
				b.Error(err)
				return
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
				b.Errorf("status %d, %v", resp.StatusCode, err)
			}
			_ = resp.Body.Close()
		}
	})
}

// floor parses a JSON-RPC body and writes the same bytes as the host does: the
// least that any server could spend.
func floor(b *testing.B, answer []byte) string {
	b.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var message struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if err != nil || json.Unmarshal(body, &message) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	}))
	b.Cleanup(server.Close)
	return server.URL
}

// compare measures the floor and both lanes with one request.
func compare(b *testing.B, path, body string, options ...option) {
	d := openFor(b, options...)
	member := map[string]string{"Authorization": "Token member"}
	same := d.send(http.MethodPost, path, body, asMember)
	if same.status != http.StatusOK {
		b.Fatal(same.status, same.body)
	}
	b.Run("floor", func(b *testing.B) { load(b, floor(b, []byte(same.body)), body, member) })
	b.Run("direct", func(b *testing.B) { load(b, d.url+path, body, member) })
	b.Run("through go-sdk", func(b *testing.B) {
		load(b, d.url+path, body, map[string]string{"Authorization": "Token member", "Accept": "text/event-stream"})
	})
}

func BenchmarkToolCall(b *testing.B) {
	compare(b, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping","arguments":{}}}`)
}

// BenchmarkToolsList lists the tools of a real area where its documents are at
// hand, else those of the tests.
func BenchmarkToolsList(b *testing.B) {
	const documents = "../../services/build/api"
	compare(b, "/mcp", listTools, func(area *host.Area, _ *host.Config, _ *host.Wiring) {
		if _, err := os.Stat(documents); err == nil {
			area.Documents = os.DirFS(documents)
			area.Profiles = []host.Profile{{Name: "applications"}, {Name: "functions"}, {Name: "delivery"}}
		}
	})
}
