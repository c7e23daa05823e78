package bridge

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestEachRequestGetsOneAnswer: whatever a server answers, one line with the
// request's own id (B40).
func TestEachRequestGetsOneAnswer(t *testing.T) {
	for name, c := range map[string]struct{ kind, id, answer, want string }{
		"an answer that comes twice": {
			"text/event-stream", `1`, "data: {\"id\":1,\"result\":{}}\n\ndata: {\"id\":1,\"result\":{}}\n\n", `{"id":1,"result":{}}`},
		"an answer to somebody else": {"application/json", `1`, `{"id":2,"result":{}}`, `"id":1,"error"`},
		"a number that became text":  {"application/json", `1`, `{"id":"1","result":{}}`, `"id":1,"error"`},
		"an id in another spelling":  {"application/json", `"a<b"`, `{"id":"a\u003cb","result":{}}`, `{"id":"a\u003cb","result":{}}`},
		"an error without an id":     {"application/json", `1`, `{"id":null,"error":{"code":-1,"message":"tired"}}`, `"id":1,"error":{"code":-1,"message":"tired"}`},
		"a result without an id":     {"application/json", `1`, `{"id":null,"result":{}}`, `"id":1,"error"`},
		"an answer and others'": {
			"text/event-stream", `1`, "data: {\"id\":7,\"result\":{}}\n\ndata: {\"id\":1,\"result\":{}}\n\n", `{"id":1,"result":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				fmt.Fprint(w, c.answer)
			}))
			in, out := run(t, Config{URL: url})
			for range 2 { // the second shows that nothing came in between
				fmt.Fprintf(in, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"x\"}\n", c.id)
				if line, err := out.ReadString('\n'); err != nil || !strings.Contains(line, c.want) {
					t.Fatalf("line %q, %v", line, err)
				}
			}
		})
	}
}

// TestReadOnlyLooksAtWhatTheServerReads: names count as they are written.
func TestReadOnlyLooksAtWhatTheServerReads(t *testing.T) {
	url := serve(t, sdkServer(t, &mcp.StreamableHTTPOptions{Stateless: true}))
	in, out := run(t, Config{URL: url, ReadOnly: true})
	for name, line := range map[string]string{
		"another method beside it": `{"jsonrpc":"2.0","id":1,"method":"tools/call","Method":"ping","params":{"name":"write"}}`,
		"another name beside it":   `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","Name":"echo"}}`,
	} {
		fmt.Fprintln(in, line)
		if got, err := out.ReadString('\n'); err != nil || !strings.Contains(got, "--read-only") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := parse([]byte(`[[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write"}}]]`)); err == nil {
		t.Error("a batch in a batch is taken for a message")
	}
}

// TestTheServersOwnStreamIsTakenUpAgain after a restart that forgot the session.
func TestTheServersOwnStreamIsTakenUpAgain(t *testing.T) {
	var session atomic.Value
	session.Store("one")
	streams, cut, gone := make(chan string, 10), make(chan struct{}), make(chan struct{}, 10)
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, _ := session.Load().(string)
		given := r.Header.Get("Mcp-Session-Id")
		switch {
		case given != "" && given != id:
			w.WriteHeader(http.StatusNotFound)
			if r.Method == http.MethodGet {
				gone <- struct{}{}
			}
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			streams <- given
			select {
			case <-cut:
			case <-r.Context().Done():
			}
		default:
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Mcp-Session-Id", id)
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}`)
		}
	}))
	in, out := run(t, Config{URL: url})
	ask := func(method string) {
		t.Helper()
		fmt.Fprintf(in, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":%q}\n", method)
		if line, err := out.ReadString('\n'); err != nil || !strings.Contains(line, "result") {
			t.Fatalf("line %q, %v", line, err)
		}
	}
	ask("initialize")
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	<-streams
	session.Store("two")
	cut <- struct{}{}
	<-gone
	ask("ping")
	select {
	case <-streams:
	case <-time.After(10 * time.Second):
		t.Fatal("the new session's stream was not opened")
	}
}
