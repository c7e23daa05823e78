package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/agent"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestAForgottenSessionIsMadeAnew is the client's side of B35: 404 means start over.
func TestAForgottenSessionIsMadeAnew(t *testing.T) {
	var handler atomic.Pointer[http.Handler]
	restart := func() { h := streamable(t, nil); handler.Store(&h) }
	restart()
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*handler.Load()).ServeHTTP(w, r) }))
	m := manager(t, quick())
	if err := m.Connect(t.Context(), agent.Servers{"s": {Transport: agent.HTTP{URL: url}}}); err != nil {
		t.Fatal(err)
	}
	restart()
	if r, err := m.Call(t.Context(), "mcp__s__echo", map[string]any{"text": "after"}); err != nil || r.Text() != "after" {
		t.Errorf("answer %v, error %v", r, err)
	}
}

// TestASessionThatIsForgottenAgainIsARefusal: the server took neither call.
func TestASessionThatIsForgottenAgainIsARefusal(t *testing.T) {
	behind := streamable(t, nil)
	var calls atomic.Int64
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && strings.Contains(string(body), `"tools/call"`) {
			calls.Add(1)
			http.Error(w, "session not found", http.StatusNotFound)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		behind.ServeHTTP(w, r)
	}))
	m := manager(t, quick())
	if err := m.Connect(t.Context(), agent.Servers{"s": {Transport: agent.HTTP{URL: url}}}); err != nil {
		t.Fatal(err)
	}
	_, err := m.Call(t.Context(), "mcp__s__echo", map[string]any{"text": "x"})
	if !errors.Is(err, mcp.ErrSessionMissing) || errors.Is(err, agent.ErrUnknownEffect) || calls.Load() != 2 {
		t.Errorf("after %d calls: %v", calls.Load(), err)
	}
}

// TestAnAnswerThatIsCutOffIsAnUnknownEffect: the server took the call and went away.
func TestAnAnswerThatIsCutOffIsAnUnknownEffect(t *testing.T) {
	for name, begin := range map[string]func(w http.ResponseWriter){
		"before the answer began": func(http.ResponseWriter) {},
		"in the middle of the stream": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, ": open\n\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			behind := streamable(t, &mcp.StreamableHTTPOptions{Stateless: true})
			url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Mcp-Method") == "tools/call" {
					begin(w)
					panic(http.ErrAbortHandler)
				}
				behind.ServeHTTP(w, r)
			}))
			m := manager(t, quick())
			if err := m.Connect(t.Context(), agent.Servers{"s": {Transport: agent.HTTP{URL: url}}}); err != nil {
				t.Fatal(err)
			}
			_, err := m.Call(t.Context(), "mcp__s__echo", map[string]any{"text": "x"})
			if !errors.Is(err, agent.ErrUnknownEffect) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestWhatAServerRefusesIsToldInItsWords(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		kind   string
		want   string
	}{
		"a JSON-RPC error":   {401, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"No authentication provided"},"id":null}`, "application/json", "No authentication provided"},
		"a page of a proxy":  {502, "<html>bad gateway</html>", "text/html", "Bad Gateway"},
		"a path that is not": {404, "404 page not found", "text/plain", "Not Found"},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int64
			url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				requests.Add(1)
				w.Header().Set("Content-Type", c.kind)
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			}))
			m := manager(t, quick())
			err := m.Connect(t.Context(), agent.Servers{"s": {Transport: agent.HTTP{URL: url}}})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestTheOldTransportPostsWhereItShould is B44: the endpoint event in every shape.
func TestTheOldTransportPostsWhereItShould(t *testing.T) {
	for name, c := range map[string]struct {
		event   string // %s: the server's origin
		message string // MessagePath
		posted  string // path; empty: nowhere
		fail    string
	}{
		"a path from the root":              {event: "/messages?sessionId=1", posted: "/messages?sessionId=1"},
		"a path beside the stream":          {event: "messages?sessionId=1", posted: "/edge/messages?sessionId=1"},
		"a whole address of the origin":     {event: "%s/edge/messages", posted: "/edge/messages"},
		"a prefix that the server lost":     {event: "/messages?sessionId=1", message: "/edge/messages", posted: "/edge/messages?sessionId=1"},
		"an inner address is not asked":     {event: "https://inner:8080/messages", fail: "another origin"},
		"a stranger does not get the token": {event: "https://evil.example/x", fail: "another origin"},
		"no endpoint event at all":          {event: "", fail: "did not answer the handshake in time"},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var posts []string
			done := make(chan struct{})
			var s *httptest.Server
			s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					mu.Lock()
					posts = append(posts, r.URL.RequestURI()+" "+r.Header.Get("Authorization"))
					mu.Unlock()
					w.WriteHeader(http.StatusAccepted)
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				if c.event != "" {
					fmt.Fprintf(w, "event: endpoint\ndata: %s\n\n", strings.ReplaceAll(c.event, "%s", s.URL))
				}
				w.(http.Flusher).Flush()
				select {
				case <-done:
				case <-r.Context().Done():
				}
			}))
			defer s.Close()
			defer close(done)
			o := quick()
			o.ConnectTimeout, o.Reconnect.Tries = 500*time.Millisecond, -1
			m := manager(t, o)
			err := m.Connect(t.Context(), agent.Servers{"s": {Transport: agent.SSE{
				URL: s.URL + "/edge/sse", MessagePath: c.message, Headers: map[string]string{"Authorization": "Bearer t"},
			}}})
			if err == nil || c.fail != "" && !strings.Contains(err.Error(), c.fail) {
				t.Errorf("error %v, want %q", err, c.fail)
			}
			mu.Lock()
			defer mu.Unlock()
			if c.posted == "" && len(posts) > 0 || c.posted != "" && (len(posts) == 0 || posts[0] != c.posted+" Bearer t") {
				t.Errorf("posted to %v, want %q", posts, c.posted)
			}
		})
	}
}

// TestHeadersStayAtTheirOrigin: a redirect must not carry a credential elsewhere.
func TestHeadersStayAtTheirOrigin(t *testing.T) {
	var stolen atomic.Bool
	other := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { stolen.Store(true) }))
	url := serve(t, http.RedirectHandler(other, http.StatusTemporaryRedirect))
	o := quick()
	o.Reconnect.Tries = -1
	m := manager(t, o)
	err := m.Connect(t.Context(), agent.Servers{"s": {Transport: agent.HTTP{URL: url, Headers: map[string]string{"Authorization": "Bearer t"}}}})
	if err == nil || !strings.Contains(err.Error(), "another origin") || stolen.Load() {
		t.Errorf("error %v, asked elsewhere %t", err, stolen.Load())
	}
}

// TestPagesThatNeverEndAreCut is B63.
func TestPagesThatNeverEndAreCut(t *testing.T) {
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") != "tools/list" {
			streamable(t, &mcp.StreamableHTTPOptions{Stateless: true}).ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, strings.Replace(`{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}],"nextCursor":"again"}}`, "ID", idOf(t, r), 1))
	}))
	m := manager(t, quick())
	if err := m.Connect(t.Context(), agent.Servers{"s": {Transport: agent.HTTP{URL: url}}}); err != nil || len(m.Tools()) != 1 {
		t.Errorf("error %v, %d tools", err, len(m.Tools()))
	}
}

// idOf is the id of the request that r carries.
func idOf(t *testing.T, r *http.Request) string {
	t.Helper()
	var message struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.NewDecoder(r.Body).Decode(&message); err != nil {
		t.Error(err)
	}
	return string(message.ID)
}

// TestAServerThatIsDownAtFirstIsTriedAgain: the network fails once, then not.
func TestAServerThatIsDownAtFirstIsTriedAgain(t *testing.T) {
	var dials atomic.Int64
	o := quick()
	base := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials.Add(1) <= 2 { // the first try: discover, then initialize
			return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}}
	defer base.CloseIdleConnections()
	o.HTTPClient = &http.Client{Transport: base}
	m := manager(t, o)
	err := m.Connect(t.Context(), agent.Servers{"s": {Transport: agent.HTTP{URL: serve(t, streamable(t, &mcp.StreamableHTTPOptions{Stateless: true}))}}})
	if err != nil || dials.Load() < 3 {
		t.Errorf("error %v after %d dials", err, dials.Load())
	}
}
