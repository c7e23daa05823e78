package agent_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/agent"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

// modeVariable makes this test binary a child with the behaviour that it names.
const modeVariable = "AGENT_TEST_CHILD"

func TestMain(m *testing.M) {
	if mode, ok := os.LookupEnv(modeVariable); ok {
		child(mode)
		return
	}
	goleak.VerifyTestMain(m)
}

// childServer is the configuration of such a child.
func childServer(mode string) agent.ServerConfig {
	return agent.ServerConfig{Transport: agent.Stdio{
		Command: os.Args[0], Env: map[string]string{modeVariable: mode, "LOG": os.Getenv("LOG")},
	}}
}

// child behaves as mode says.
func child(mode string) {
	out := io.Writer(os.Stdout)
	switch mode {
	case "exits at once":
		fmt.Fprintln(os.Stderr, "cannot open the database")
		os.Exit(1)
	case "answers nothing":
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	case "neither reads nor leaves":
		signal.Ignore(syscall.SIGTERM)
		select {} //nolint:staticcheck // it has to be killed
	case "talks CRLF":
		out = replacer{"\n", "\r\n"}
	case "talks on stdout":
		fmt.Print("Welcome to the best server!\n\n{\"level\":\"info\",\"msg\":\"JSON, but no message\"}\n[]\n{\"broken\n")
		out = replacer{"\n", "\nDEBUG answered\n\n"}
	case "is a parent": // an agent of its own, until it is killed
		m := agent.New(quick())
		_ = m.Connect(context.Background(), agent.Servers{"c": childServer("ignores the end")})
		fmt.Println(m.Status()[0].Stderr)
		select {}
	case "ignores the end":
		fmt.Fprintln(os.Stderr, os.Getpid())
		signal.Ignore(syscall.SIGTERM)
	case "starts another and ignores the end":
		grandchild := exec.Command("sleep", "300")
		_ = grandchild.Start()
		signal.Ignore(syscall.SIGTERM)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "child", Version: "1"}, nil)
	addTestTools(server)
	in := io.NopCloser(io.Reader(os.Stdin))
	if mode == "stops reading" {
		in = io.NopCloser(&untilCall{in: bufio.NewReader(os.Stdin)})
	}
	_ = server.Run(context.Background(), &mcp.IOTransport{Reader: in, Writer: nopCloser{out}})
	if strings.HasSuffix(mode, "ignores the end") {
		select {}
	}
}

// addTestTools gives a server what the tests call.
func addTestTools(server *mcp.Server) {
	type text struct {
		Text string `json:"text"`
		Size int    `json:"size,omitempty"`
	}
	add := func(name string, f func(context.Context, *mcp.CallToolRequest, text) string) {
		mcp.AddTool(server, &mcp.Tool{Name: name}, func(ctx context.Context, req *mcp.CallToolRequest, in text) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: f(ctx, req, in)}}}, nil, nil
		})
	}
	calledBack := make(chan struct{}, 3) // by the callback of progress
	add("echo", func(_ context.Context, _ *mcp.CallToolRequest, in text) string {
		if in.Text == "inside" {
			calledBack <- struct{}{}
		}
		return in.Text
	})
	add("big", func(_ context.Context, _ *mcp.CallToolRequest, in text) string { return strings.Repeat("x", in.Size) })
	add("die", func(context.Context, *mcp.CallToolRequest, text) string {
		fmt.Fprintln(os.Stderr, "panic: out of luck")
		os.Exit(3)
		return ""
	})
	add("sleep", func(ctx context.Context, _ *mcp.CallToolRequest, _ text) string {
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second): // over HTTP a cancellation may overtake its call, and is lost
		}
		fmt.Fprintln(os.Stderr, "sleep was cancelled")
		return "woken"
	})
	add("environment", func(context.Context, *mcp.CallToolRequest, text) string { return strings.Join(os.Environ(), "\n") })
	add("progress", func(ctx context.Context, req *mcp.CallToolRequest, _ text) string {
		for i := range 3 {
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: req.Params.GetProgressToken(), Progress: float64(i + 1), Total: 3, Message: "step",
			})
		}
		for range 3 {
			<-calledBack
		}
		return "done"
	})
}

// replacer writes to stdout with one text in the place of another.
type replacer [2]string

func (r replacer) Write(p []byte) (int, error) {
	_, err := os.Stdout.Write(bytes.ReplaceAll(p, []byte(r[0]), []byte(r[1])))
	return len(p), err
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// untilCall reads until the first tools/call, and then nothing any more.
type untilCall struct {
	in   *bufio.Reader
	rest []byte
}

func (u *untilCall) Read(p []byte) (int, error) {
	if len(u.rest) == 0 {
		line, err := u.in.ReadBytes('\n')
		if err != nil {
			return 0, err
		}
		if bytes.Contains(line, []byte(`"tools/call"`)) {
			select {}
		}
		u.rest = line
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}

// quick are Options whose waits suit a test.
func quick() agent.Options {
	return agent.Options{
		ConnectTimeout: time.Minute, CallTimeout: time.Minute,
		Reconnect: agent.Reconnect{First: time.Millisecond, Max: 20 * time.Millisecond},
	}
}

// manager is closed at the end of the test, and then must have left no child.
func manager(t *testing.T, o agent.Options) *agent.Manager {
	t.Helper()
	m := agent.New(o)
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if left := children(t); left != "" {
			t.Errorf("processes left after Close:\n%s", left)
		}
	})
	return m
}

// children are the processes below this one.
func children(t *testing.T) string {
	t.Helper()
	ps := exec.Command("ps", "-o", "pid=,stat=,comm=,args=", "--ppid", fmt.Sprint(os.Getpid()))
	out, err := ps.Output()
	if err != nil && len(out) == 0 {
		if os.Getenv("CI") != "" {
			t.Fatalf("CI needs ps (Debian's package procps): %v", err)
		}
		t.Skipf("SKIPPED: counting processes needs ps: %v", err)
	}
	var left []string
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[2] != "ps" {
			left = append(left, line)
		}
	}
	return strings.Join(left, "")
}
