package audit

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

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
	auditv1 "github.com/comporta-mcp/comporta/proto/audit/v1"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

func TestMain(m *testing.M) {
	if childMain() {
		return
	}
	goleak.VerifyTestMain(m)
}

func TestARecordSaysWhoDidWhatAndHowItEnded(t *testing.T) {
	w := newWorld(t)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l := w.open(func(o *Options) { o.Now = func() time.Time { now = now.Add(5 * time.Millisecond); return now } })
	handler := l.Stage()(func(_ context.Context, c *call.Call) (*call.Answer, error) {
		c.Trace = call.Trace{Upstream: 409, OperationID: "op1", Repeat: true, Approval: "a person"}
		return nil, problem.New(problem.Conflicto, "no").Because("nombre")
	})
	c := aCall("call1", catalog.Write, map[string]any{"name": "shop", "id": json.Number("12345678901234567890")})
	if _, err := handler(t.Context(), c); !problem.Is(err, problem.Conflicto) {
		t.Fatal(err)
	}
	w.close(l)
	got := w.records(Filter{LinkID: "pt_0123456789abcdef"})
	if len(got) != 2 || got[0].GetKind() != auditv1.Kind_KIND_INTENT || got[1].GetKind() != auditv1.Kind_KIND_OUTCOME {
		t.Fatalf("records: %v", got)
	}
	r := got[1]
	if r.GetCallId() != "call1" || r.GetArea() != "build" || r.GetProfile() != "applications" || r.GetTool() != "write_thing" ||
		r.GetLinkId() != "pt_0123456789abcdef" || r.GetPersonId() != 7 || r.GetCompanyId() != 42 || r.GetAddress() != "192.0.2.7" ||
		r.GetClientId() != "client" || r.GetClientName() != "personal token" || r.GetVersion() != 1 {
		t.Errorf("who and what: %v", r)
	}
	if r.GetOutcome() != "conflicto" || r.GetReason() != "nombre" || r.GetUpstreamStatus() != 409 || r.GetOperationId() != "op1" ||
		!r.GetRepeat() || r.GetApproval() != "a person" || r.GetDurationMs() <= 0 {
		t.Errorf("how it ended: %v", r)
	}
	if want := `{"id":12345678901234567890,"name":"shop"}`; string(r.GetArguments()) != want {
		t.Errorf("arguments %s, want %s", r.GetArguments(), want)
	}
	if got[0].GetOutcome() != "" || !r.GetAt().AsTime().After(got[0].GetAt().AsTime()) {
		t.Errorf("the intent: %v", got[0])
	}
	if n := w.verify(); n != 2 {
		t.Errorf("%d messages", n)
	}
}

func TestARecordHoldsWhatAToolMadeOfItsArguments(t *testing.T) {
	w := newWorld(t)
	l := w.open()
	handler := l.Stage()(func(_ context.Context, c *call.Call) (*call.Answer, error) {
		c.Trace.Derived = map[string]any{"graphql": "{ a(token: \"azionFAKE0000000000000000000000000000000\") }", "intentos": 2}
		return &call.Answer{}, nil
	})
	c := aCall("made", catalog.Read, map[string]any{"query": "how many?"})
	if _, err := handler(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	w.close(l)
	got := w.records(Filter{LinkID: "pt_0123456789abcdef"})
	if want := `{"_derivado":{"graphql":"{ a(token: \"[redacted]\") }","intentos":2},"query":"how many?"}`; len(got) != 1 || string(got[0].GetArguments()) != want {
		t.Errorf("records %v, want the arguments %s", got, want)
	}
	if len(c.Args) != 1 {
		t.Errorf("the call's own arguments became %v", c.Args)
	}
}

func TestReadsAndDryRunsHaveNoIntent(t *testing.T) {
	w := newWorld(t)
	l := w.open()
	read := aCall("r", catalog.Read, nil)
	dry := aCall("d", catalog.Destructive, nil)
	dry.DryRun = true
	for _, c := range []*call.Call{read, dry} {
		if _, err := l.Stage()(fine)(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	w.close(l)
	got := w.records(Filter{})
	if len(got) != 2 || got[0].GetOutcome() != "ok" || !got[1].GetDryRun() || string(got[0].GetArguments()) != "{}" {
		t.Errorf("records: %v", got)
	}
}

func TestWithoutNATSReadsRunAndWritesDoNot(t *testing.T) {
	w := newWorld(t)
	registry := prometheus.NewRegistry()
	l := w.open(func(o *Options) { o.Metrics = registry })
	again := w.stopNATS()
	ran := atomic.Int32{}
	handler := l.Stage()(func(context.Context, *call.Call) (*call.Answer, error) { ran.Add(1); return &call.Answer{}, nil })
	if _, err := handler(t.Context(), aCall("read", catalog.Read, nil)); err != nil {
		t.Errorf("a read: %v", err)
	}
	_, err := handler(t.Context(), aCall("write", catalog.Write, nil))
	if p := problem.As(err); p == nil || p.Code != problem.EstadoInvalido || !p.Retryable || p.RetryAfter <= 0 {
		t.Errorf("a write: %v", err)
	}
	if ran.Load() != 1 {
		t.Errorf("%d calls ran", ran.Load())
	}
	again()
	w.eventually("all records are published", func() bool { return l.spool.Waiting() == 0 })
	if _, err := handler(t.Context(), aCall("write again", catalog.Write, nil)); err != nil {
		t.Errorf("a write once NATS is back: %v", err)
	}
	w.close(l)
	if n := w.verify(); n != 5 { // read's outcome; two intents and outcomes
		t.Errorf("%d messages", n)
	}
	if got := testutil.ToFloat64(l.metrics.refused.WithLabelValues(noIntent)); got != 1 {
		t.Errorf("refused for want of an intent: %v", got)
	}
}

func TestWhenTheSpoolIsFullReadsAreRefusedToo(t *testing.T) {
	w := newWorld(t)
	l := w.open(func(o *Options) { o.MaxBytes = 64 << 10 })
	again := w.stopNATS()
	handler := l.Stage()(fine)
	args := map[string]any{"text": strings.Repeat("x", 3000)}
	var err error
	ran := 0
	for ; err == nil && ran < 100; ran++ {
		_, err = handler(t.Context(), aCall(fmt.Sprint("r", ran), catalog.Read, args))
	}
	ran--
	if p := problem.As(err); p == nil || p.Code != problem.EstadoInvalido || !p.Retryable {
		t.Fatalf("after %d reads: %v", ran, err)
	}
	if l.Room() || ran < 10 || l.spool.Size() > 64<<10 {
		t.Errorf("room %t after %d reads, %d bytes", l.Room(), ran, l.spool.Size())
	}
	if got := testutil.ToFloat64(l.metrics.refused.WithLabelValues(noRoom)); got != 1 {
		t.Errorf("refused for want of room: %v", got)
	}
	again()
	w.eventually("there is room", l.Room)
	if _, err := handler(t.Context(), aCall("later", catalog.Read, args)); err != nil {
		t.Errorf("once there is room: %v", err)
	}
	w.close(l)
	if n := w.verify(); n != ran+1 {
		t.Errorf("%d messages for %d calls", n, ran+1)
	}
}

func TestTheSpaceOfACallThatRunsIsSetAside(t *testing.T) {
	w := newWorld(t)
	l := w.open(func(o *Options) { o.MaxBytes = 4 * recordRoom })
	inside := make(chan struct{})
	release := make(chan struct{})
	slow := l.Stage()(func(context.Context, *call.Call) (*call.Answer, error) {
		inside <- struct{}{}
		<-release
		return &call.Answer{}, nil
	})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			if _, err := slow(t.Context(), aCall(fmt.Sprint(i), catalog.Read, nil)); err != nil {
				t.Error(err)
			}
		})
		<-inside
	}
	if _, err := l.Stage()(fine)(t.Context(), aCall("fifth", catalog.Read, nil)); !problem.Is(err, problem.EstadoInvalido) {
		t.Errorf("a fifth call: %v", err)
	}
	close(release)
	wg.Wait()
	if !l.Room() {
		t.Error("the space is not given back")
	}
}

func TestAPanicBecomesInternoAndItsStackStaysInTheLog(t *testing.T) {
	w := newWorld(t)
	l := w.open()
	handler := l.Stage()(func(context.Context, *call.Call) (*call.Answer, error) { panic("secret detail") })
	answer, err := handler(t.Context(), aCall("call9", catalog.Read, nil))
	p := problem.As(err)
	if answer != nil || p.Code != problem.Interno || !p.Retryable || strings.Contains(p.What.String()+p.Do.String(), "secret detail") {
		t.Errorf("answer %v, problem %v", answer, p)
	}
	w.close(l)
	if got := w.records(Filter{}); len(got) != 1 || got[0].GetOutcome() != "interno" {
		t.Errorf("records: %v", got)
	}
	for _, want := range []string{"secret detail", "audit_test.go", "call9"} {
		if !strings.Contains(w.out.String(), want) {
			t.Errorf("the log lacks %q", want)
		}
	}
}

func TestACancelledCallIsRecordedAsSuch(t *testing.T) {
	w := newWorld(t)
	l := w.open()
	ctx, cancel := context.WithCancel(t.Context())
	handler := l.Stage()(func(ctx context.Context, _ *call.Call) (*call.Answer, error) {
		cancel()
		<-ctx.Done()
		return nil, fmt.Errorf("ask the platform: %w", ctx.Err())
	})
	if _, err := handler(ctx, aCall("c", catalog.Read, nil)); problem.As(err).Reason() != problem.Cancelada {
		t.Errorf("problem: %v", err)
	}
	w.close(l)
	if got := w.records(Filter{}); len(got) != 1 || got[0].GetReason() != problem.Cancelada {
		t.Errorf("records: %v", got)
	}
}

func TestCanariesNeverReachARecord(t *testing.T) {
	w := newWorld(t)
	l := w.open()
	pat := "azion" + strings.Repeat("CANARY9", 5)
	c := aCall("c", catalog.Write, map[string]any{
		"password": "CANARY1", "private_key": "CANARY2", "origin": map[string]any{"secretKey": "CANARY3", "Authorization": []any{"CANARY4"}},
		"tls": map[string]any{"hidden": "CANARY5", "shown": "SHOWN"}, "list": []any{map[string]any{"hidden": map[string]any{"deep": "CANARY6"}}},
		"comment": "use " + pat + " please", pat: 1, "header": "Bearer CANARY789", "token": json.Number("1"), "cookie": "",
	})
	c.Principal.Client.Name = "client " + pat
	if _, err := l.Stage()(fine)(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	l.Refused(t.Context(), Refusal{Area: "build", Address: "192.0.2.1", Message: "refused Token " + pat})
	op := &operationv1.Operation{Id: "op", CallId: "c", Arguments: []byte(`{"password":"CANARY1","n":12345678901234567890}`)}
	if err := l.Operation(t.Context(), op, nil); err != nil {
		t.Fatal(err)
	}
	w.close(l)
	got := w.records(Filter{})
	if len(got) != 4 {
		t.Fatalf("%d records", len(got))
	}
	for _, r := range got {
		if strings.Contains(r.String(), "CANARY") {
			t.Errorf("a secret is in the %s: %s", kindName(r.GetKind()), r.GetArguments())
		}
	}
	if !strings.Contains(string(got[0].GetArguments()), "SHOWN") || !strings.Contains(string(got[0].GetArguments()), `"cookie":""`) {
		t.Errorf("too much is hidden: %s", got[0].GetArguments())
	}
	if strings.Contains(w.out.String(), "CANARY") {
		t.Error("a secret is in the log")
	}
}

func TestATextThatIsNoUTF8IsKeptAllTheSame(t *testing.T) {
	w := newWorld(t)
	l := w.open()
	if err := l.Person(t.Context(), PersonEvent{Action: "link_revoked", Link: "l1", Person: 7, Reason: "gone\xc3"}); err != nil {
		t.Error(err)
	}
	l.Refused(t.Context(), Refusal{Area: "build", Address: "192.0.2.1", Profile: "\xff", Message: "Authentication failed"})
	w.close(l)
	told := map[string]bool{}
	for _, r := range w.records(Filter{}) {
		told[r.GetReason()+"|"+r.GetProfile()] = true
	}
	if !told["gone\ufffd|"] || !told["|\ufffd"] || len(told) != 2 {
		t.Errorf("the records are %v", told)
	}
}

func TestRefusalsAreCountedByAddressAndMinute(t *testing.T) {
	w := newWorld(t)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l := w.open(func(o *Options) { o.Now = func() time.Time { return now } })
	refuse := func(address string, c *call.Call) {
		r := Refusal{Area: "build", Address: address, Message: "Authentication failed"}
		if c != nil {
			r.Principal = c.Principal
		}
		l.Refused(t.Context(), r)
	}
	for range 5 {
		refuse("192.0.2.1", nil)
	}
	refuse("192.0.2.2", nil)
	refuse("192.0.2.2", aCall("", catalog.Read, nil))
	l.flushRefusals(false)
	if got := l.spool.Waiting(); got != 0 {
		t.Errorf("%d records before the minute is over", got)
	}
	now = now.Add(time.Minute)
	l.flushRefusals(false)
	refuse("192.0.2.1", nil)
	w.close(l)
	counts := map[string]uint32{}
	for _, r := range w.records(Filter{}) {
		if r.GetKind() != auditv1.Kind_KIND_REFUSAL || r.GetOutcome() != "Authentication failed" {
			t.Errorf("record %v", r)
		}
		counts[r.GetAddress()+"|"+r.GetLinkId()+"|"+r.GetAt().AsTime().Format("15:04")] = r.GetCount()
	}
	want := map[string]uint32{"192.0.2.1||12:00": 5, "192.0.2.2||12:00": 1, "192.0.2.2|pt_0123456789abcdef|12:00": 1, "192.0.2.1||12:01": 1}
	if fmt.Sprint(counts) != fmt.Sprint(want) {
		t.Errorf("got %v\nwant %v", counts, want)
	}
	w.verify()
}

func TestRefusalsOfMoreAddressesThanAreToldApartShareOneCount(t *testing.T) {
	f := &refusals{now: time.Now}
	for i := range 3 * maxCounted {
		f.add(Refusal{Area: "build", Address: fmt.Sprint(i), Message: "m"}, time.Now())
	}
	taken := f.take(0)
	total := uint32(0)
	for _, tally := range taken {
		total += tally.count
	}
	other := taken[counted{address: otherAddress, area: "build", message: "m"}]
	if len(taken) != maxCounted+1 || total != 3*maxCounted || other == nil || other.count != 2*maxCounted {
		t.Errorf("%d tallies, %d in all, other: %+v", len(taken), total, other)
	}
}

func TestAnOperationsEndIsRecordedOnce(t *testing.T) {
	w := newWorld(t)
	l := w.open()
	op := &operationv1.Operation{
		Id: "op", CallId: "call", LinkId: "l", Tool: "t", Arguments: []byte(`{"n":12345678901234567890}`),
		Approval: &operationv1.Approval{PersonId: 7, At: timestamppb.New(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))},
	}
	for range 2 {
		if err := l.Operation(t.Context(), op, problem.New(problem.SinPermiso, "x").Because(problem.Revocado).From(403)); err != nil {
			t.Fatal(err)
		}
	}
	w.close(l)
	got := w.records(Filter{LinkID: "l"})
	if len(got) != 1 || got[0].GetOutcome() != "sin_permiso" || got[0].GetReason() != "revocado" || got[0].GetUpstreamStatus() != 403 ||
		got[0].GetOperationId() != "op" || got[0].GetApproval() != "person 7 at 2026-03-01T12:00:00Z" || string(got[0].GetArguments()) != `{"n":12345678901234567890}` {
		t.Errorf("records: %v", got)
	}
}

func TestTheChainGoesOnOverRestarts(t *testing.T) {
	w := newWorld(t)
	for i := range 3 {
		l := w.open()
		if _, err := l.Stage()(fine)(t.Context(), aCall(fmt.Sprint(i), catalog.Write, nil)); err != nil {
			t.Fatal(err)
		}
		w.close(l)
	}
	if n := w.verify(); n != 6 {
		t.Errorf("%d messages", n)
	}
	writers := map[string]bool{}
	for _, r := range w.records(Filter{}) {
		writers[r.GetWriter()] = true
	}
	if len(writers) != 1 {
		t.Errorf("writers: %v", writers)
	}
}

func TestTenThousandRecordsFromManyGoroutinesWithNATSGoingAway(t *testing.T) {
	w := newWorld(t)
	l := w.open()
	const workers, each = 20, 500
	handler := l.Stage()(fine)
	var wg sync.WaitGroup
	half := make(chan struct{})
	var once sync.Once
	for i := range workers {
		wg.Go(func() {
			for j := range each {
				if j == each/2 {
					once.Do(func() { close(half) })
				}
				if _, err := handler(t.Context(), aCall(fmt.Sprintf("%d-%d", i, j), catalog.Read, map[string]any{"i": i})); err != nil {
					t.Error(err)
				}
			}
		})
	}
	<-half
	again := w.stopNATS()
	wg.Wait()
	again()
	w.eventually("all records are published", func() bool { return l.spool.Waiting() == 0 })
	w.close(l)
	seen := map[string]int{}
	for _, r := range w.records(Filter{}) {
		seen[r.GetCallId()]++
	}
	if len(seen) != workers*each {
		t.Errorf("%d calls are recorded", len(seen))
	}
	if n := w.verify(); n != workers*each {
		t.Errorf("%d messages in the stream: some were sent twice or lost", n)
	}
	if l.spool.Size() != 0 {
		t.Errorf("%d bytes are left on the disk", l.spool.Size())
	}
}

func TestOpenTellsWhatIsMissing(t *testing.T) {
	w := newWorld(t)
	for name, o := range map[string]Options{
		"no bus": {Dir: w.dir, Writer: "x"}, "no folder": {Bus: w.bus, Writer: "x"}, "no writer": {Bus: w.bus, Dir: w.dir},
		"a spool too small": {Bus: w.bus, Dir: w.dir, Writer: "x", MaxBytes: 100},
	} {
		if _, err := Open(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	w.open()
	if _, err := Open(Options{Bus: w.bus, Dir: w.dir, Writer: "x"}); err == nil {
		t.Error("two at once on one folder")
	}
}

func TestQueryCanBeLeftEarlyAndFiltered(t *testing.T) {
	w := newWorld(t)
	if got := w.records(Filter{}); len(got) != 0 {
		t.Errorf("an empty stream gives %v", got)
	}
	l := w.open()
	for i := range 20 {
		if _, err := l.Stage()(fine)(t.Context(), aCall(fmt.Sprint(i), catalog.Read, nil)); err != nil {
			t.Fatal(err)
		}
	}
	w.close(l)
	if got := w.records(Filter{Want: func(r *auditv1.Record) bool { return r.GetCallId() == "7" }}); len(got) != 1 {
		t.Errorf("filtered: %v", got)
	}
	if got := w.records(Filter{LinkID: "someone else"}); len(got) != 0 {
		t.Errorf("another link: %v", got)
	}
	n := 0
	for range Query(t.Context(), w.bus, Filter{}) {
		if n++; n == 3 {
			break
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range Query(ctx, w.bus, Filter{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}
