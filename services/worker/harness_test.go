package worker

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/once"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/operation/natstest"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	authv1 "github.com/comporta-mcp/comporta/proto/auth/v1"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

const (
	testLink    = "pt_0123456789abcdef"
	testCompany = 7
	testSecret  = identity.Secret("Token azionCANARY")
	patience    = 60 * time.Second // no test waits so long; it only ends one that hangs
)

// quick is a Work whose pauses suit tests.
func quick() Work {
	return Work{
		Parallel: 4, AckWait: time.Second, MaxAckPending: 1000, MaxTries: 3, MaxCrashes: 6,
		RetryMin: 20 * time.Millisecond, RetryMax: 100 * time.Millisecond, HandleFor: 30 * time.Second,
		SendFor: 20 * time.Second, VerifyMin: 10 * time.Millisecond, VerifyMax: 50 * time.Millisecond, VerifyFor: 30 * time.Second,
		Reconcile: 200 * time.Millisecond, LostAfter: time.Second,
		GiveUpAfter: time.Hour, DrainFor: 5 * time.Second,
	}
}

// bench is NATS, the platform, and a host's view of the operations.
type bench struct {
	t     *testing.T
	nats  *natstest.Server
	stand *stand
	store *operation.Store
	bus   *bus.Bus
	audit *ledger
}

func newBench(t *testing.T) *bench {
	server := natstest.Start(t)
	b := server.Connect()
	return &bench{t: t, nats: server, stand: newStand(t), bus: b, store: operation.NewStore(b, time.Now), audit: &ledger{}}
}

// hand is a worker of a test, with what a test may change before it runs.
type hand struct {
	*Worker
	Parts
	Work
	bench    *bench
	platform *platform.Client
	registry *prometheus.Registry
	dead     chan struct{} // closed at the end of the test; a killed worker's goroutines hang on it
	died     atomic.Bool
}

// hire makes a worker; change may replace its parts before it runs.
func (b *bench) hire(name string, change func(*hand)) *hand {
	b.t.Helper()
	h := &hand{bench: b, Work: quick(), dead: make(chan struct{}), registry: prometheus.NewRegistry()}
	own := b.nats.Connect()
	tools := standTools()
	h.platform = platform.New(platform.Config{URL: b.stand.URL, Timeout: 5 * time.Second}, platform.Options{})
	h.Parts = Parts{
		Bus: own, Store: operation.NewStore(own, time.Now), Tools: tools.find, Name: name,
		Rights: allow(), Prober: h.platform, Audit: b.audit, Metrics: h.registry,
		Shape: func(tool *catalog.Tool, value map[string]any) map[string]any {
			return answer.Shape(tool, value, answer.Page{})
		},
		Log: slog.New(slog.NewTextHandler(testLog{b.t}, nil)),
	}
	h.Writer = &once.Writer{Platform: h.platform, Tools: tools.find, Settle: 300 * time.Millisecond, Patient: true}
	if change != nil {
		change(h)
	}
	var err error
	if h.Worker, err = New(h.Work, h.Parts); err != nil {
		b.t.Fatal(err)
	}
	return h
}

// run starts the worker until the test ends, or stop is called.
func (h *hand) run() (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(h.bench.t.Context()))
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := h.Worker.Run(ctx); err != nil {
			h.bench.t.Errorf("the worker ended: %v", err)
		}
	})
	stopped := sync.OnceFunc(func() {
		cancel()
		close(h.dead)
		wg.Wait()
	})
	h.bench.t.Cleanup(stopped)
	return stopped
}

// die is a power cut, as far as others can see: nothing of this worker reaches
// NATS any more, and the goroutine that called it never comes back.
func (h *hand) die() {
	h.died.Store(true)
	h.Parts.Bus.Conn.Close()
	<-h.dead
}

func (b *bench) submit(tool string, args map[string]any) *operationv1.Operation {
	b.t.Helper()
	op := b.operation(tool, args)
	if err := b.store.Submit(b.t.Context(), op); err != nil {
		b.t.Fatal(err)
	}
	return op
}

func (b *bench) operation(tool string, args map[string]any) *operationv1.Operation {
	data, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	return &operationv1.Operation{
		Id: operation.NewID(time.Now()), LinkId: testLink, CompanyId: testCompany, Area: "build",
		Tool: tool, Arguments: data, CallId: "01CALL", Sealed: []byte("sealed"),
	}
}

// end waits for the operation's end and gives its view.
func (b *bench) end(op *operationv1.Operation) map[string]any {
	b.t.Helper()
	got, err := b.store.Wait(b.t.Context(), op.GetLinkId(), op.GetId(), patience)
	if err != nil {
		b.t.Fatal(err)
	}
	if !operation.Ended(got) {
		b.t.Fatalf("operation %s did not end: %v", op.GetId(), got)
	}
	if got.GetSealed() != nil || got.GetLease() != nil {
		b.t.Errorf("an ended operation holds a credential or a lease: %v", got)
	}
	return operation.View(got)
}

// endsWith checks how the operation ends: "ok", or an error's code and reason.
func (b *bench) endsWith(op *operationv1.Operation, code problem.Code, reason string) map[string]any {
	b.t.Helper()
	view := b.end(op)
	told, _ := view["error"].(map[string]any)
	if code == "" {
		if view["estado"] != "ok" {
			b.t.Fatalf("ended %v: %v", view["estado"], told)
		}
		return view
	}
	detail, _ := told["detalle"].(map[string]any)
	if got, _ := detail["motivo"].(string); view["estado"] != "error" || told["code"] != string(code) || got != reason {
		b.t.Fatalf("ended %v: %v; want %s %s", view["estado"], told, code, reason)
	}
	return view
}

// until waits for a condition that another goroutine brings about.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// queueEmpty waits until every message was answered.
func (b *bench) queueEmpty() {
	b.t.Helper()
	until(b.t, "the queue is empty", func() bool {
		keys, complete, err := b.store.Queued(b.t.Context(), 1000)
		return err == nil && complete && len(keys) == 0
	})
}

type rights func(context.Context, *operationv1.Operation) (*identity.Principal, []byte, error)

func (r rights) Release(ctx context.Context, op *operationv1.Operation) (*identity.Principal, []byte, error) {
	return r(ctx, op)
}

func (r rights) Advance(ctx context.Context, op *operationv1.Operation, _ authv1.ApprovedStep) error {
	_, _, err := r(ctx, op)
	return err
}

func allow() rights {
	return func(context.Context, *operationv1.Operation) (*identity.Principal, []byte, error) {
		return principal(), nil, nil
	}
}

func principal() *identity.Principal {
	return &identity.Principal{
		Link:      identity.Link{ID: testLink, Scheme: identity.Token},
		Companies: []identity.Company{{ID: testCompany, Authorization: testSecret}},
		Scope:     identity.Scope{Areas: []string{"build"}},
	}
}

// ledger is an audit that remembers.
type ledger struct {
	mu    sync.Mutex
	ends  map[string]int
	hooks func(op *operationv1.Operation) error
}

func (l *ledger) Operation(_ context.Context, op *operationv1.Operation, _ *problem.Problem) error {
	l.mu.Lock()
	hook := l.hooks
	if l.ends == nil {
		l.ends = map[string]int{}
	}
	l.ends[op.GetId()]++
	l.mu.Unlock()
	if hook != nil {
		return hook(op)
	}
	return nil
}

func (l *ledger) told(id string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ends[id]
}

// transport is a RoundTripper with something to do around a write.
type transport struct{ before, after func() }

func (tr transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		return http.DefaultTransport.RoundTrip(r)
	}
	if tr.before != nil {
		tr.before()
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if tr.after != nil {
		tr.after()
	}
	return resp, err
}

type writer func(context.Context, platform.Request, once.Journal) (*platform.Answer, error)

func (w writer) Write(ctx context.Context, r platform.Request, j once.Journal) (*platform.Answer, error) {
	return w(ctx, r, j)
}

type prober func(context.Context, platform.Request) (*platform.Answer, error)

func (p prober) Do(ctx context.Context, r platform.Request) (*platform.Answer, error) {
	return p(ctx, r)
}

// testLog sends a worker's log to the test's, as long as there is one.
type testLog struct{ t *testing.T }

func (l testLog) Write(line []byte) (int, error) {
	if l.t.Context().Err() == nil {
		l.t.Log(string(line))
	}
	return len(line), nil
}

func stamp(at time.Time) *timestamppb.Timestamp { return timestamppb.New(at) }
