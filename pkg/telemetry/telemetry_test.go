package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sink is a writer for several goroutines.
type sink struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *sink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

func begin(t *testing.T, cfg Config) (*Telemetry, *sink) {
	t.Helper()
	out := &sink{}
	tel, err := start(t.Context(), cfg, "build-mcp", "1.2.3", out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tel.Close(context.Background()); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return tel, out
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// noisy holds credentials in the ways that code logs them by accident.
type noisy struct {
	Header http.Header
	Inner  map[string]any
}

func TestCanariesNeverReachTheLog(t *testing.T) {
	pat := "azion" + strings.Repeat("CANARY9", 5)
	for _, format := range []string{"json", "text"} {
		t.Run(format, func(t *testing.T) {
			tel, out := begin(t, Config{LogFormat: format, LogLevel: "debug"})
			header := http.Header{"Authorization": {"Bearer CANARY123456"}, "Cookie": {"sid=CANARY123456"}}
			log := tel.Log.With("password", "CANARY", "who", pat).WithGroup("request")
			log.Debug("refused Token "+pat, "header", header, "ptr", &noisy{header, map[string]any{"access_token": "CANARY123"}})
			log.Info("with Cookie: a=CANARY123", "error", fmt.Errorf("ask: %w", errors.New("Bearer CANARY123456 refused")))
			log.Warn("bytes", "body", []byte(`{"refresh_token":"CANARY123"}`), "raw", json.RawMessage(`{"secret_key":"CANARY123"}`))
			log.Error("nested", slog.Group("h", "authorization", "CANARY", "x", slog.GroupValue(slog.String("api_key", "CANARY"))))
			log.Info("a name that is a credential", pat, 1)
			text := out.String()
			if strings.Contains(text, "CANARY") {
				t.Errorf("a credential is shown:\n%s", text)
			}
			if n := strings.Count(text, "\n"); n != 5 {
				t.Errorf("%d lines:\n%s", n, text)
			}
		})
	}
}

func TestLogLinesNameServiceVersionAndTrace(t *testing.T) {
	tel, out := begin(t, Config{})
	header := propagation.MapCarrier{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
	ctx := tel.Propagator().Extract(t.Context(), header)
	ctx, span := tel.Tracer.Start(ctx, "call")
	tel.Log.InfoContext(ctx, "hello", "n", 1)
	tel.Log.DebugContext(ctx, "below the level")
	sent := propagation.MapCarrier{}
	tel.Propagator().Inject(ctx, sent)
	span.End()

	var line map[string]any
	if err := json.Unmarshal([]byte(out.String()), &line); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	for key, want := range map[string]any{
		"msg": "hello", "n": 1.0, "service": "build-mcp", "version": "1.2.3", "trace_id": "0af7651916cd43dd8448eb211c80319c",
	} {
		if line[key] != want {
			t.Errorf("%s is %v, want %v", key, line[key], want)
		}
	}
	if !strings.HasPrefix(sent["traceparent"], "00-0af7651916cd43dd8448eb211c80319c-") || !strings.HasSuffix(sent["traceparent"], "-01") {
		t.Errorf("the caller's trace is passed on as %q", sent["traceparent"])
	}
}

func TestTracesThatBeginHereHaveAnIDWithoutAnEndpoint(t *testing.T) {
	tel, out := begin(t, Config{})
	ctx, span := tel.Tracer.Start(t.Context(), "call")
	tel.Log.InfoContext(ctx, "hello")
	span.End()
	if !strings.Contains(out.String(), `"trace_id":"`) {
		t.Errorf("no id in %s", out)
	}
}

func TestTracesReachTheEndpoint(t *testing.T) {
	got := make(chan string, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.URL.Path }))
	defer collector.Close()
	tel, _ := begin(t, Config{OTLPEndpoint: collector.URL})
	_, span := tel.Tracer.Start(t.Context(), "call")
	span.End()
	if err := tel.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case path := <-got:
		if path != "/v1/traces" {
			t.Errorf("sent to %s", path)
		}
	default:
		t.Error("Close returned before the span was sent")
	}
}

func TestAdminPort(t *testing.T) {
	tel, _ := begin(t, Config{AdminListen: "127.0.0.1:0", Pprof: true})
	if status, body := get(t, tel.AdminURL()+"/healthz"); status != 200 || !strings.Contains(body, `"ok":true`) {
		t.Errorf("healthz: %d %s", status, body)
	}
	_, metrics := get(t, tel.AdminURL()+"/metrics")
	for _, want := range []string{`comporta_build_info{goversion="go`, `service="build-mcp"`, `version="1.2.3"`, "go_goroutines", "process_start_time_seconds"} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if status, _ := get(t, tel.AdminURL()+"/debug/pprof/"); status != 200 {
		t.Errorf("pprof: %d", status)
	}
	other, _ := begin(t, Config{AdminListen: "127.0.0.1:0"})
	if status, _ := get(t, other.AdminURL()+"/debug/pprof/"); status != 404 {
		t.Errorf("pprof that nobody asked for: %d", status)
	}
}

func TestReadiness(t *testing.T) {
	type answer struct {
		Ready, Draining bool
		Checks          map[string]checkResult
	}
	ask := func(t *testing.T, tel *Telemetry) (int, answer) {
		t.Helper()
		status, body := get(t, tel.AdminURL()+"/readyz")
		var a answer
		if err := json.Unmarshal([]byte(body), &a); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		return status, a
	}
	t.Run("without checks it is ready, until the drain, which leaves the port open", func(t *testing.T) {
		tel, _ := begin(t, Config{AdminListen: "127.0.0.1:0"})
		if status, a := ask(t, tel); status != 200 || !a.Ready {
			t.Errorf("before: %d %+v", status, a)
		}
		tel.Drain()
		if status, a := ask(t, tel); status != 503 || a.Ready || !a.Draining {
			t.Errorf("after: %d %+v", status, a)
		}
		if status, _ := get(t, tel.AdminURL()+"/healthz"); status != 200 {
			t.Errorf("healthz while draining: %d", status)
		}
	})
	t.Run("one failing check is named, and hides credentials", func(t *testing.T) {
		tel, _ := begin(t, Config{AdminListen: "127.0.0.1:0"})
		tel.Ready("nats", func(context.Context) error { return nil })
		tel.Ready("auth", func(context.Context) error { return errors.New("Bearer CANARY123456 refused") })
		tel.Ready("panics", func(context.Context) error { panic("oops") })
		status, a := ask(t, tel)
		if status != 503 || a.Ready || !a.Checks["nats"].OK || a.Checks["panics"].OK {
			t.Errorf("%d %+v", status, a)
		}
		if got := a.Checks["auth"].Error; got != "Bearer [redacted] refused" {
			t.Errorf("auth says %q", got)
		}
	})
	t.Run("a check that hangs is given up, shared by probes, and never piles up", func(t *testing.T) {
		tel, _ := begin(t, Config{AdminListen: "127.0.0.1:0"})
		release, runs := make(chan struct{}), atomic.Int32{}
		tel.Ready("stuck", func(context.Context) error { runs.Add(1); <-release; return nil })
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if status, a := ask(t, tel); status != 503 || a.Checks["stuck"].OK {
					t.Errorf("%d %+v", status, a)
				}
			})
		}
		wg.Wait()
		close(release)
		if n := runs.Load(); n != 1 {
			t.Errorf("%d runs at once", n)
		}
	})
}

func TestStartTellsWhatIsWrong(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, cfg := range map[string]Config{
		"an unknown format":      {LogFormat: "xml"},
		"an unknown level":       {LogLevel: "loud"},
		"an endpoint of no use":  {OTLPEndpoint: "collector:4317"},
		"a port that is taken":   {AdminListen: taken.Addr().String()},
		"a pattern that is none": {MaskPatterns: []string{"("}},
	} {
		if _, err := start(t.Context(), cfg, "x", "1", io.Discard); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// brokenExporter loses every span.
type brokenExporter struct{ sdktrace.SpanExporter }

func (brokenExporter) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error {
	return errors.New("connection refused")
}

func TestLostTracesAreToldOnceAMinute(t *testing.T) {
	out, now := &sink{}, time.Unix(1_000_000, 0)
	q := &quiet{
		SpanExporter: brokenExporter{}, now: func() time.Time { return now },
		log: slog.New(slog.NewTextHandler(out, nil)),
	}
	for _, step := range []time.Duration{0, time.Second, 58 * time.Second, time.Second} {
		now = now.Add(step)
		if err := q.ExportSpans(t.Context(), nil); err != nil {
			t.Errorf("the SDK would tell a process-wide handler: %v", err)
		}
	}
	if n := strings.Count(out.String(), "traces were lost"); n != 2 {
		t.Errorf("told %d times, want 2:\n%s", n, out)
	}
}
