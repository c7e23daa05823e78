package idempotency_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/idempotency"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/operation/natstest"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

const link = "pt_0123456789abcdef"

// fixture is one platform's worth of state, and the stage in front of it.
type fixture struct {
	t          *testing.T
	server     *natstest.Server
	operations *operation.Store
	options    idempotency.Options
	calls      atomic.Int64
}

func newFixture(t *testing.T) *fixture {
	server := natstest.Start(t)
	b := server.Connect()
	operations := operation.NewStore(b, time.Now)
	return &fixture{t: t, server: server, operations: operations, options: idempotency.Options{
		Store: idempotency.NewStore(b), Operations: operations, Holder: "host-1",
	}}
}

// replica is the same stage in another process.
func (f *fixture) replica() *fixture {
	b := f.server.Connect()
	operations := operation.NewStore(b, time.Now)
	other := &fixture{t: f.t, server: f.server, operations: operations, options: f.options}
	other.options.Store, other.options.Operations, other.options.Holder = idempotency.NewStore(b), operations, "host-2"
	return other
}

func (f *fixture) call(key string, args map[string]any) *call.Call {
	return &call.Call{
		ID:        fmt.Sprintf("call-%d", f.calls.Add(1)),
		Area:      "build",
		Tool:      &catalog.Tool{Name: "create_application", Effect: catalog.Write, Creates: true, Retrieve: "retrieve_application"},
		Principal: &identity.Principal{Link: identity.Link{ID: link}},
		Company:   identity.Company{ID: 7},
		Args:      args,
		Common:    call.Common{IdempotencyKey: key},
	}
}

func (f *fixture) do(c *call.Call, h call.Handler) (*call.Answer, error) {
	return call.Chain(h, idempotency.Stage(f.options))(f.t.Context(), c)
}

// creates answers with a new id each time, as a platform would.
func creates(count *atomic.Int64) call.Handler {
	return func(ctx context.Context, c *call.Call) (*call.Answer, error) {
		n := count.Add(1)
		if c.Journal != nil {
			step := &operationv1.Step{State: operationv1.Step_STATE_SENT}
			if err := c.Journal.Record(ctx, step); err != nil {
				return nil, err
			}
			step.State, step.Status = operationv1.Step_STATE_ANSWERED, 201
			if err := c.Journal.Record(ctx, step); err != nil {
				return nil, err
			}
		}
		return &call.Answer{Value: map[string]any{"id": json.Number(fmt.Sprint(9007199254740992 + n))}}, nil
	}
}

func args(name string) map[string]any { return map[string]any{"name": name, "ttl": json.Number("60")} }

func TestARepeatGetsTheFirstAnswerDigitForDigit(t *testing.T) {
	f := newFixture(t)
	var count atomic.Int64
	first, err := f.do(f.call("k", args("a")), creates(&count))
	if err != nil {
		t.Fatal(err)
	}
	if _, marked := first.Value["idempotente"]; marked {
		t.Error("the first answer says it is a repeat")
	}
	repeat := f.replica().call("k", map[string]any{"ttl": json.Number("60.0"), "name": "a", "plan_id": "p"})
	second, err := f.do(repeat, creates(&count))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"id": json.Number("9007199254740993"), "idempotente": true}
	if diff := cmp.Diff(want, second.Value); diff != "" {
		t.Error(diff)
	}
	if !repeat.Trace.Repeat || count.Load() != 1 {
		t.Errorf("repeat %v, %d effects; want true and 1", repeat.Trace.Repeat, count.Load())
	}
}

func TestAKeyBelongsToItsLinkToolAndArguments(t *testing.T) {
	f := newFixture(t)
	var count atomic.Int64
	if _, err := f.do(f.call("k", args("a")), creates(&count)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*call.Call){
		"another link": func(c *call.Call) {
			c.Principal = &identity.Principal{Link: identity.Link{ID: "01J9ZZZZZZZZZZZZZZZZZZZZZZ"}}
		},
		"another tool": func(c *call.Call) { c.Tool = &catalog.Tool{Name: "create_workload"} },
		"another key":  func(c *call.Call) { c.IdempotencyKey = "k2" },
		"no key":       func(c *call.Call) { c.IdempotencyKey = "" },
		"a dry run":    func(c *call.Call) { c.DryRun = true },
	} {
		t.Run(name+" runs", func(t *testing.T) {
			before := count.Load()
			c := f.call("k", args("a"))
			change(c)
			if _, err := f.do(c, creates(&count)); err != nil || count.Load() != before+1 {
				t.Errorf("%v, %d effects; want one more than %d", err, count.Load(), before)
			}
		})
	}
	for name, change := range map[string]func(*call.Call){
		"other arguments":      func(c *call.Call) { c.Args = args("b") },
		"another company":      func(c *call.Call) { c.Company.ID = 8 },
		"one argument more":    func(c *call.Call) { c.Args["active"] = true },
		"a number as a string": func(c *call.Call) { c.Args["ttl"] = "60" },
	} {
		t.Run(name+" is a conflict", func(t *testing.T) {
			before := count.Load()
			c := f.call("k", args("a"))
			change(c)
			if _, err := f.do(c, creates(&count)); !problem.Is(err, problem.Conflicto) || count.Load() != before {
				t.Errorf("%v, %d effects; want conflicto and %d", err, count.Load(), before)
			}
		})
	}
}

func TestADryRunLeavesTheKeyFree(t *testing.T) {
	f := newFixture(t)
	var count atomic.Int64
	dry := f.call("k", args("a"))
	dry.DryRun = true
	if _, err := f.do(dry, creates(&count)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.do(f.call("k", args("b")), creates(&count)); err != nil || count.Load() != 2 {
		t.Errorf("the call after a dry run with other arguments: %v, %d effects", err, count.Load())
	}
}

func TestAKeyMustBePrintableAndNotTooLong(t *testing.T) {
	f := newFixture(t)
	var count atomic.Int64
	for name, c := range map[string]struct {
		key string
		ok  bool
	}{
		"the longest":           {strings.Repeat("ñ", 255), true},
		"one too long":          {strings.Repeat("k", 256), false},
		"a line break":          {"a\nb", false},
		"a NUL":                 {"a\x00", false},
		"broken UTF-8":          {"a\xff", false},
		"a space and an accent": {"pedido nº 1", true},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := f.do(f.call(c.key, args("a")), creates(&count))
			if c.ok && err != nil {
				t.Error(err)
			}
			if !c.ok && !problem.Is(err, problem.ParametroInvalido) {
				t.Errorf("%v, want parametro_invalido", err)
			}
		})
	}
}

// B71: twenty at once, over two replicas.
func TestOfManyParallelCallsOneRuns(t *testing.T) {
	f := newFixture(t)
	replicas := []*fixture{f, f.replica()}
	var count atomic.Int64
	slow := func(ctx context.Context, c *call.Call) (*call.Answer, error) {
		time.Sleep(100 * time.Millisecond) // the others must find it running
		return creates(&count)(ctx, c)
	}
	var repeats atomic.Int64
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			c := replicas[i%2].call("k", args("a"))
			c.ID = fmt.Sprintf("parallel-%d", i)
			answer, err := replicas[i%2].do(c, slow)
			if err != nil {
				t.Error(err)
				return
			}
			if answer.Value["id"] != json.Number("9007199254740993") {
				t.Errorf("answer %v", answer.Value)
			}
			if answer.Value["idempotente"] == true {
				repeats.Add(1)
			}
		})
	}
	wg.Wait()
	if count.Load() != 1 || repeats.Load() != 19 {
		t.Errorf("%d effects, %d repeats; want 1 and 19", count.Load(), repeats.Load())
	}
}

func TestARepeatDoesNotWaitForEver(t *testing.T) {
	f := newFixture(t)
	f.options.Wait = 100 * time.Millisecond
	var count atomic.Int64
	began, end := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := f.do(f.call("k", args("a")), func(ctx context.Context, c *call.Call) (*call.Answer, error) {
			close(began)
			<-end
			return creates(&count)(ctx, c)
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-began
	_, err := f.do(f.call("k", args("a")), creates(&count))
	if p := problem.As(err); p == nil || p.Code != problem.EstadoInvalido || !p.Retryable || p.RetryAfter == 0 {
		t.Errorf("%v, want a retryable estado_invalido that says when", err)
	}
	close(end)
	wg.Wait()
	if answer, err := f.do(f.call("k", args("a")), creates(&count)); err != nil || answer.Value["idempotente"] != true || count.Load() != 1 {
		t.Errorf("%v, %v, %d effects", answer, err, count.Load())
	}
}

func TestWhatIsKeptOfAFailure(t *testing.T) {
	unknown := problem.New(problem.EstadoInvalido, "lost").NotRetryable().Because(problem.ResultadoDesconocido)
	for name, c := range map[string]struct {
		err  error
		step operationv1.Step_State // what the journal holds when the call fails
		kept bool
	}{
		"a refusal":                             {problem.New(problem.SinPermiso, "no"), operationv1.Step_STATE_UNSPECIFIED, false},
		"a 4xx of the platform":                 {problem.New(problem.Conflicto, "taken").From(409), operationv1.Step_STATE_UNSPECIFIED, false},
		"nothing was sent":                      {problem.New(problem.EstadoInvalido, "down"), operationv1.Step_STATE_UNSPECIFIED, false},
		"an unknown outcome":                    {unknown, operationv1.Step_STATE_SENT, true},
		"an unknown outcome for good":           {unknown, operationv1.Step_STATE_UNKNOWN, true},
		"an operation that may exist":           {unknown, operationv1.Step_STATE_UNSPECIFIED, true},
		"a failure after the request had left":  {errors.New("cancelled"), operationv1.Step_STATE_SENT, true},
		"a failure after the platform answered": {errors.New("cannot shape it"), operationv1.Step_STATE_ANSWERED, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			_, err := f.do(f.call("k", args("a")), func(ctx context.Context, call *call.Call) (*call.Answer, error) {
				if c.step != operationv1.Step_STATE_UNSPECIFIED {
					if err := call.Journal.Record(ctx, &operationv1.Step{State: c.step, Sends: 1}); err != nil {
						t.Error(err)
					}
				}
				return nil, c.err
			})
			if !errors.Is(err, c.err) {
				t.Errorf("the caller got %v", err)
			}
			// The repeat runs either way; what differs is whether it knows of the first.
			repeat := f.call("k", args("a"))
			_, err = f.do(repeat, func(_ context.Context, call *call.Call) (*call.Answer, error) {
				if got := call.Journal.Step().GetState(); got != c.step {
					t.Errorf("the repeat's journal says %v, want %v", got, c.step)
				}
				return &call2Answer, nil
			})
			if err != nil || repeat.Trace.Repeat {
				t.Errorf("the repeat: %v, answered from memory: %v", err, repeat.Trace.Repeat)
			}
			if !c.kept {
				return
			}
			if _, err := f.do(f.call("k", args("b")), creates(new(atomic.Int64))); !problem.Is(err, problem.Conflicto) {
				t.Errorf("other arguments for a kept key: %v, want conflicto", err)
			}
		})
	}
}

var call2Answer = call.Answer{Value: map[string]any{"ok": true}}

func TestARefusedKeyIsFreeForOtherArguments(t *testing.T) {
	f := newFixture(t)
	refuse := func(context.Context, *call.Call) (*call.Answer, error) {
		return nil, problem.New(problem.Conflicto, "taken").From(409)
	}
	if _, err := f.do(f.call("k", args("a")), refuse); !problem.Is(err, problem.Conflicto) {
		t.Fatal(err)
	}
	var count atomic.Int64
	if _, err := f.do(f.call("k", args("b")), creates(&count)); err != nil || count.Load() != 1 {
		t.Errorf("%v, %d effects", err, count.Load())
	}
}

// A host died in mid-call: a panic leaves the record as a crash does.
func TestAfterACrashTheNextRepeatTakesOverWhenTheLeaseIsOver(t *testing.T) {
	f := newFixture(t)
	f.options.Lease = 300 * time.Millisecond
	func() {
		defer func() { _ = recover() }()
		_, _ = f.do(f.call("k", args("a")), func(ctx context.Context, c *call.Call) (*call.Answer, error) {
			if err := c.Journal.Record(ctx, &operationv1.Step{State: operationv1.Step_STATE_SENT, Before: []string{"5"}}); err != nil {
				t.Error(err)
			}
			panic("power cut")
		})
	}()
	other := f.replica()
	repeat := other.call("k", args("a"))
	answer, err := other.do(repeat, func(_ context.Context, c *call.Call) (*call.Answer, error) {
		if step := c.Journal.Step(); step.GetState() != operationv1.Step_STATE_SENT || !cmp.Equal(step.GetBefore(), []string{"5"}) {
			t.Errorf("the journal after the crash: %v", step)
		}
		return &call.Answer{Value: map[string]any{"found": true}}, nil
	})
	if err != nil || answer.Value["found"] != true {
		t.Fatalf("%v, %v", answer, err)
	}
}

func TestALongCallKeepsItsRecord(t *testing.T) {
	f := newFixture(t)
	f.options.Lease, f.options.Wait = 200*time.Millisecond, 50*time.Millisecond
	var count atomic.Int64
	began, end := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := f.do(f.call("k", args("a")), func(ctx context.Context, c *call.Call) (*call.Answer, error) {
			close(began)
			<-end
			if ctx.Err() != nil {
				t.Error("the long call lost its record")
			}
			return creates(&count)(ctx, c)
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-began
	for over := time.Now().Add(3 * f.options.Lease); time.Now().Before(over); {
		if _, err := f.do(f.call("k", args("a")), creates(&count)); !problem.Is(err, problem.EstadoInvalido) {
			t.Errorf("a repeat got in: %v", err)
		}
	}
	close(end)
	wg.Wait()
	if count.Load() != 1 {
		t.Errorf("%d effects, want 1", count.Load())
	}
}

// The process was asleep: its lease ended and a repeat took over.
func TestACallThatLostItsRecordSendsNothingMore(t *testing.T) {
	f := newFixture(t)
	asleep := f.options
	asleep.Lease = time.Hour // it will not notice by itself
	past := time.Now().Add(-2 * time.Hour)
	asleep.Now = func() time.Time { return past } // its lease is long over for the others
	began, wake := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		c := f.call("k", args("a"))
		stage := idempotency.Stage(asleep)
		_, err := stage(func(ctx context.Context, c *call.Call) (*call.Answer, error) {
			close(began)
			<-wake
			err := c.Journal.Record(ctx, &operationv1.Step{State: operationv1.Step_STATE_SENT})
			if err == nil {
				t.Error("a lost call may still record that it sends")
			}
			if ctx.Err() == nil {
				t.Error("a lost call was not ended")
			}
			return nil, err
		})(t.Context(), c)
		if p := problem.As(err); p == nil || !p.Retryable {
			t.Errorf("%v, want a retryable problem", err)
		}
	})
	<-began
	var count atomic.Int64
	if _, err := f.do(f.call("k", args("a")), creates(&count)); err != nil {
		t.Fatal(err)
	}
	close(wake)
	wg.Wait()
	answer, err := f.do(f.call("k", args("a")), creates(&count))
	if err != nil || answer.Value["idempotente"] != true || count.Load() != 1 {
		t.Errorf("%v, %v, %d effects", answer, err, count.Load())
	}
}

// B77: nothing runs that nobody could recognise later.
func TestWhileNATSIsAwayAKeyedCallIsRefused(t *testing.T) {
	f := newFixture(t)
	f.server.Stop()
	var count atomic.Int64
	_, err := f.do(f.call("k", args("a")), creates(&count))
	if p := problem.As(err); p == nil || p.Code != problem.EstadoInvalido || !p.Retryable || count.Load() != 0 {
		t.Errorf("%v, %d effects; want a retryable estado_invalido and none", err, count.Load())
	}
	if _, err := f.do(f.call("", args("a")), creates(&count)); err != nil {
		t.Errorf("a call without a key needs no NATS here: %v", err)
	}
	f.server.Start()
	if _, err := f.do(f.call("k", args("a")), creates(&count)); err != nil || count.Load() != 2 {
		t.Errorf("after NATS came back: %v, %d effects", err, count.Load())
	}
}

func TestAnAnswerThatIsTooLargeToKeepIsNamed(t *testing.T) {
	f := newFixture(t)
	var count atomic.Int64
	huge := func(context.Context, *call.Call) (*call.Answer, error) {
		count.Add(1)
		return &call.Answer{Value: map[string]any{"text": strings.Repeat("x", 1<<20)}}, nil
	}
	if answer, err := f.do(f.call("k", args("a")), huge); err != nil || len(answer.Value["text"].(string)) != 1<<20 {
		t.Fatalf("the first answer is not whole: %v", err)
	}
	answer, err := f.do(f.call("k", args("a")), huge)
	if err != nil || count.Load() != 1 {
		t.Fatalf("%v, %d effects", err, count.Load())
	}
	if answer.Value["respuesta_omitida"] != true || !strings.Contains(fmt.Sprint(answer.Value["advertencia"]), "retrieve_application") {
		t.Errorf("answer %v", answer.Value)
	}
}

func TestARepeatOfAnOperationGetsItsPresentState(t *testing.T) {
	f := newFixture(t)
	var ids []string
	submit := func(ctx context.Context, c *call.Call) (*call.Answer, error) {
		op := &operationv1.Operation{Id: c.Reserved, LinkId: link, Area: "build", Tool: c.Tool.Name, IdempotencyKey: c.IdempotencyKey}
		if err := f.operations.Submit(ctx, op); err != nil {
			return nil, err
		}
		ids = append(ids, op.GetId())
		c.Trace.OperationID = op.GetId()
		return &call.Answer{Value: map[string]any{"operacion_id": op.GetId(), "estado": "en_curso"}}, nil
	}
	if _, err := f.do(f.call("k", args("a")), submit); err != nil {
		t.Fatal(err)
	}
	repeat := f.call("k", args("a"))
	answer, err := f.do(repeat, submit)
	if err != nil || answer.Value["operacion_id"] != ids[0] || answer.Value["fase"] != "en_cola" || answer.Value["idempotente"] != true {
		t.Fatalf("while it runs: %v, %v", answer, err)
	}
	if repeat.Trace.OperationID != ids[0] || !repeat.Trace.Repeat {
		t.Errorf("trace %+v", repeat.Trace)
	}

	change(t, f, ids[0], func(op *operationv1.Operation) {
		op.Step = &operationv1.Step{State: operationv1.Step_STATE_ANSWERED, Status: 201}
		_ = operation.Succeed(op, map[string]any{"id": json.Number("1")})
	})
	answer, err = f.do(f.call("k", args("a")), submit)
	if err != nil || answer.Value["estado"] != "ok" || answer.Value["idempotente"] != true || len(ids) != 1 {
		t.Errorf("after its end: %v, %v, %d operations", answer, err, len(ids))
	}
}

func TestWhichEndedOperationsAreRunAgain(t *testing.T) {
	failed := func(p *problem.Problem, step operationv1.Step_State) func(*operationv1.Operation) {
		return func(op *operationv1.Operation) {
			op.Step = &operationv1.Step{State: step}
			operation.Fail(op, p)
		}
	}
	for name, c := range map[string]struct {
		end   func(*operationv1.Operation)
		again bool
	}{
		"refused before anything was sent": {failed(problem.New(problem.Conflicto, "taken"), operationv1.Step_STATE_UNSPECIFIED), true},
		"never reached the queue":          {failed(problem.New(problem.EstadoInvalido, "lost"), operationv1.Step_STATE_UNSPECIFIED), true},
		"its outcome is unknown":           {failed(problem.New(problem.EstadoInvalido, "?").Because(problem.ResultadoDesconocido), operationv1.Step_STATE_UNKNOWN), false},
		"cancelled":                        {failed(problem.New(problem.EstadoInvalido, "c").Because(problem.Cancelada), operationv1.Step_STATE_UNSPECIFIED), false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			var ids []string
			submit := func(ctx context.Context, c *call.Call) (*call.Answer, error) {
				ids = append(ids, c.Reserved)
				c.Trace.OperationID = c.Reserved
				err := f.operations.Submit(ctx, &operationv1.Operation{Id: c.Reserved, LinkId: link, Tool: c.Tool.Name})
				return &call.Answer{Value: map[string]any{"operacion_id": c.Reserved}}, err
			}
			if _, err := f.do(f.call("k", args("a")), submit); err != nil {
				t.Fatal(err)
			}
			change(t, f, ids[0], c.end)
			answer, err := f.do(f.call("k", args("a")), submit)
			if err != nil {
				t.Fatal(err)
			}
			if again := len(ids) == 2; again != c.again || (again && ids[0] == ids[1]) {
				t.Errorf("operations %v, answer %v", ids, answer.Value)
			}
		})
	}
}

// The host died between the key's record and the operation's, or right after it.
func TestAfterACrashARepeatUsesTheReservedOperation(t *testing.T) {
	for name, stored := range map[string]bool{"before it was stored": false, "after it was stored": true} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.options.Lease = 200 * time.Millisecond
			var reserved string
			func() {
				defer func() { _ = recover() }()
				_, _ = f.do(f.call("k", args("a")), func(ctx context.Context, c *call.Call) (*call.Answer, error) {
					reserved = c.Reserved
					if stored {
						if err := f.operations.Submit(ctx, &operationv1.Operation{Id: reserved, LinkId: link, Tool: c.Tool.Name}); err != nil {
							t.Error(err)
						}
					}
					panic("power cut")
				})
			}()
			other := f.replica()
			ran := false
			answer, err := other.do(other.call("k", args("a")), func(_ context.Context, c *call.Call) (*call.Answer, error) {
				ran = true
				if c.Reserved != reserved {
					t.Errorf("the repeat got the id %s, want %s", c.Reserved, reserved)
				}
				return &call.Answer{Value: map[string]any{"operacion_id": c.Reserved}}, nil
			})
			if err != nil || answer.Value["operacion_id"] != reserved || ran == stored {
				t.Errorf("%v, %v, ran %v", answer, err, ran)
			}
		})
	}
}

func change(t *testing.T, f *fixture, id string, change func(*operationv1.Operation)) {
	t.Helper()
	key, _ := operation.Key(link, id)
	rec, err := f.operations.Load(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.operations.Save(t.Context(), rec, change); err != nil {
		t.Fatal(err)
	}
}
