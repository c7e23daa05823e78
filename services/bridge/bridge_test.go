package bridge

import (
	"bufio"
	"context"
	"encoding/json"
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

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run starts a bridge and gives its two ends. Both close with the test, and the
// bridge must then end well.
func run(t *testing.T, cfg Config) (in io.WriteCloser, out *bufio.Reader) {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	base := &http.Transport{}
	cfg.In, cfg.Out, cfg.Wait, cfg.Base = inRead, outWrite, time.Millisecond, base
	ended := make(chan error, 1)
	go func() { ended <- Run(t.Context(), cfg); _ = outWrite.Close() }()
	t.Cleanup(func() {
		_ = inWrite.Close()
		go func() { _, _ = io.Copy(io.Discard, outRead) }()
		if err := <-ended; err != nil {
			t.Errorf("the bridge ended with %v", err)
		}
		base.CloseIdleConnections()
	})
	return inWrite, bufio.NewReaderSize(outRead, 1<<20)
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

// sdkServer is a server of go-sdk with a few tools.
func sdkServer(t *testing.T, o *mcp.StreamableHTTPOptions) http.Handler {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	type text struct {
		Text string `json:"text,omitempty"`
	}
	for name, reads := range map[string]bool{"echo": true, "write": false} {
		mcp.AddTool(server, &mcp.Tool{Name: name, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: reads}},
			func(_ context.Context, _ *mcp.CallToolRequest, in text) (*mcp.CallToolResult, any, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil, nil
			})
	}
	mcp.AddTool(server, &mcp.Tool{Name: "progress"}, func(ctx context.Context, req *mcp.CallToolRequest, _ text) (*mcp.CallToolResult, any, error) {
		err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: 1})
		return &mcp.CallToolResult{}, nil, err
	})
	t.Cleanup(func() {
		for s := range server.Sessions() {
			_ = s.Close()
		}
	})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, o)
}

// client connects go-sdk's client through a bridge.
func client(t *testing.T, cfg Config, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	in, out := run(t, cfg)
	c := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, o)
	s, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: io.NopCloser(out), Writer: in}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestEveryRevisionPassesThrough(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		for name, o := range map[string]*mcp.StreamableHTTPOptions{
			"with sessions": nil, "without sessions": {Stateless: true}, "JSON answers": {Stateless: true, JSONResponse: true},
		} {
			t.Run(version+" "+name, func(t *testing.T) {
				url := serve(t, sdkServer(t, o))
				progressed := make(chan struct{}, 1)
				s := client(t, Config{URL: url}, version, &mcp.ClientOptions{
					ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { progressed <- struct{}{} },
				})
				want := version
				if version == "2026-07-28" && o == nil {
					want = "2025-11-25" // which a server with sessions falls back to
				}
				if got := s.InitializeResult().ProtocolVersion; got != want {
					t.Errorf("revision %s, want %s", got, want)
				}
				var wg sync.WaitGroup
				for i := range 10 {
					wg.Go(func() {
						text := fmt.Sprint("ação ", i)
						r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]string{"text": text}})
						if err != nil || r.Content[0].(*mcp.TextContent).Text != text {
							t.Errorf("answer %v, error %v", r, err)
						}
					})
				}
				wg.Wait()
				if name != "JSON answers" {
					params := &mcp.CallToolParams{Name: "progress"}
					params.SetProgressToken("p")
					if _, err := s.CallTool(t.Context(), params); err != nil {
						t.Error(err)
					}
					<-progressed
				}
			})
		}
	}
}

// TestEveryRequestGetsItsOwnAnswer is B40: whatever becomes of the server, each id
// is answered once, with its own kind.
func TestEveryRequestGetsItsOwnAnswer(t *testing.T) {
	hangUp := func(http.ResponseWriter) { panic(http.ErrAbortHandler) }
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter)
		want   string
	}{
		"a proxy's page":        {func(w http.ResponseWriter) { w.WriteHeader(502); fmt.Fprint(w, "<html>bad</html>") }, "HTTP 502"},
		"an error with id null": {func(w http.ResponseWriter) { w.WriteHeader(401); fmt.Fprint(w, refusedBody) }, "No authentication provided"},
		"nothing of ours":       {func(w http.ResponseWriter) { http.Error(w, "404 page not found", 404) }, "HTTP 404"},
		"an empty 500":          {func(w http.ResponseWriter) { w.WriteHeader(500) }, "HTTP 500"},
		"a wait":                {func(w http.ResponseWriter) { w.Header().Set("Retry-After", "7"); w.WriteHeader(429) }, "after 7 s"},
		"a page instead":        {func(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/html"); fmt.Fprint(w, "hi") }, "address of an MCP server"},
		"broken JSON":           {func(w http.ResponseWriter) { w.Header().Set("Content-Type", "application/json"); fmt.Fprint(w, "{") }, "without an answer"},
		"another's answer": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, otherBody)
		}, "without an answer"},
		"a hang-up":               {hangUp, "took effect is not known"},
		"a hang-up in the stream": {func(w http.ResponseWriter) { begin(w); hangUp(w) }, "took effect is not known"},
		"a stream that just ends": {begin, "took effect is not known"},
		"another place":           {func(w http.ResponseWriter) { w.Header().Set("Location", "https://evil.example/"); w.WriteHeader(307) }, "another origin"},
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { c.answer(w) }))
			in, out := run(t, Config{URL: url})
			for _, id := range []string{`42`, `"abc"`} {
				fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"x"}}`+"\r\n\n", id)
				for {
					line, err := out.ReadString('\n')
					if err != nil {
						t.Fatal(err)
					}
					var got struct {
						ID    json.RawMessage
						Error struct{ Message string }
					}
					if err := json.Unmarshal([]byte(line), &got); err != nil {
						t.Fatalf("stdout has %q", line)
					}
					if string(got.ID) == "999" { // another's answer is passed on
						continue
					}
					if string(got.ID) != id || !strings.Contains(got.Error.Message, c.want) {
						t.Errorf("id %s was answered %s", id, line)
					}
					break
				}
			}
		})
	}
}

const (
	refusedBody = `{"jsonrpc":"2.0","error":{"code":-32001,"message":"No authentication provided"},"id":null}`
	otherBody   = `{"jsonrpc":"2.0","id":999,"result":{}}`
)

func begin(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, ": begun\n\n")
	w.(http.Flusher).Flush()
}

func TestAServerThatIsDownIsTriedAgainAndThenTold(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	_ = listener.Close()
	in, out := run(t, Config{URL: url})
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if line, err := out.ReadString('\n'); err != nil || !strings.Contains(line, `"id":1,`) || !strings.Contains(line, "cannot be reached") {
		t.Errorf("answer %q, error %v", line, err)
	}
}

// TestAForgottenSessionIsOpenedAgain: the server restarts, the client notices nothing.
func TestAForgottenSessionIsOpenedAgain(t *testing.T) {
	var handler atomic.Pointer[http.Handler]
	restart := func() { h := sdkServer(t, nil); handler.Store(&h) }
	restart()
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*handler.Load()).ServeHTTP(w, r) }))
	s := client(t, Config{URL: url}, "2025-06-18", nil)
	restart()
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestReadOnlyHidesAndRefusesWhatWrites(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		for _, listFirst := range []bool{true, false} {
			t.Run(fmt.Sprint(version, " listed ", listFirst), func(t *testing.T) {
				s := client(t, Config{URL: serve(t, sdkServer(t, &mcp.StreamableHTTPOptions{Stateless: true})), ReadOnly: true}, version, nil)
				if listFirst {
					page, err := s.ListTools(t.Context(), nil)
					if err != nil || len(page.Tools) != 1 || page.Tools[0].Name != "echo" {
						t.Errorf("tools %+v, error %v", page, err)
					}
				}
				if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "write"}); err == nil || !strings.Contains(err.Error(), "--read-only") {
					t.Errorf("write: %v", err)
				}
				if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo"}); err != nil {
					t.Errorf("echo: %v", err)
				}
			})
		}
	}
}

// TestStdoutCarriesMessagesOnly is B42, and B41 for large ones.
func TestStdoutCarriesMessagesOnly(t *testing.T) {
	large := strings.Repeat("x", 5<<20)
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"result\": {\"text\": %q}\n}\n", large)
	}))
	in, out := run(t, Config{URL: url})
	fmt.Fprint(in, "not a message\n[]\n{\"level\":\"info\"}\n\n"+`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	var line []byte
	for {
		part, err := out.ReadSlice('\n')
		line = append(line, part...)
		if err == nil {
			break
		}
		if err != bufio.ErrBufferFull {
			t.Fatal(err)
		}
	}
	if !json.Valid(line) || len(line) < 5<<20 || strings.Count(string(line), "\n") != 1 {
		t.Errorf("a line of %d bytes, JSON %t", len(line), json.Valid(line))
	}
}

func TestACancelledModernRequestIsHungUp(t *testing.T) {
	hungUp, begun := make(chan struct{}), make(chan struct{})
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		begin(w)
		close(begun)
		<-r.Context().Done()
		close(hungUp)
	}))
	in, _ := run(t, Config{URL: url})
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	<-begun
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	<-hungUp
}

// TestAnswersUnderWayArriveAfterStdinClosed: a pipe's end is no reason to lose them.
func TestAnswersUnderWayArriveAfterStdinClosed(t *testing.T) {
	release := make(chan struct{})
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-release
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}))
	in, out := run(t, Config{URL: url})
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	_ = in.Close()
	close(release)
	if line, err := out.ReadString('\n'); err != nil || !strings.Contains(line, `"result"`) {
		t.Errorf("answer %q, error %v", line, err)
	}
	if _, err := out.ReadString('\n'); err != io.EOF {
		t.Errorf("after the answer: %v", err)
	}
}

func TestHeadersSayWhatTheMessageSays(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		want map[string]string
	}{
		"a call":              {`{"id":1,"method":"tools/call","params":{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "x"}},
		"a resource":          {`{"id":1,"method":"resources/read","params":{"uri":"azion://é","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, map[string]string{"Mcp-Name": "=?base64?YXppb246Ly/DqQ==?="}},
		"before a handshake":  {`{"id":1,"method":"tools/list"}`, map[string]string{"Mcp-Protocol-Version": "", "Mcp-Method": ""}},
		"params of any shape": {`{"id":1,"method":"x","params":[1]}`, map[string]string{"Mcp-Method": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := parse([]byte(c.line))
			if err != nil {
				t.Fatal(err)
			}
			h := http.Header{}
			session{}.describe(h, &m)
			for key, want := range c.want {
				if got := h.Get(key); got != want {
					t.Errorf("%s: %q, want %q", key, got, want)
				}
			}
		})
	}
}
