package worker

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// B77: NATS stops and starts under load. Whoever was told "accepted" gets an end,
// whoever was told "nothing was started" gets no effect.
func TestNATSIsStoppedAndStartedUnderLoad(t *testing.T) {
	b := newBench(t)
	b.stand.looks = 1
	b.hire("w1", nil).run()
	b.hire("w2", nil).run()
	var mu sync.Mutex
	accepted, refused, unsure := map[string]*operationv1.Operation{}, []string{}, []string{}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for client := range 3 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				name := fmt.Sprintf("w-%d-%d", client, i)
				op := b.operation("create_workload", map[string]any{"name": name})
				err := b.store.Submit(t.Context(), op)
				mu.Lock()
				switch p := problem.As(err); {
				case err == nil:
					accepted[name] = op
				case p.Reason() == problem.ResultadoDesconocido:
					unsure = append(unsure, name)
				case p.Code == problem.EstadoInvalido && p.Retryable:
					refused = append(refused, name)
				default:
					t.Errorf("submit: %v", err)
				}
				mu.Unlock()
				time.Sleep(2 * time.Millisecond)
			}
		})
	}
	for _, pause := range []time.Duration{300 * time.Millisecond, 7 * time.Second} { // below and above the hosts' patience
		time.Sleep(300 * time.Millisecond)
		b.nats.Stop()
		time.Sleep(pause)
		b.nats.Start()
	}
	time.Sleep(300 * time.Millisecond)
	close(stop)
	wg.Wait()

	for name, op := range accepted {
		b.endsWith(op, "", "")
		if n := b.stand.named(name); n != 1 {
			t.Errorf("%s exists %d times, want once", name, n)
		}
	}
	b.queueEmpty()
	until(t, "no operation is open", func() bool { return b.open() == 0 })
	for _, name := range refused {
		if n := b.stand.named(name); n != 0 {
			t.Errorf("%s was refused and exists %d times", name, n)
		}
	}
	for _, name := range unsure {
		if n := b.stand.named(name); n > 1 {
			t.Errorf("%s exists %d times", name, n)
		}
	}
	t.Logf("accepted %d, refused %d, unsure %d", len(accepted), len(refused), len(unsure))
}

// open counts the operations of the test's link that have not ended.
func (b *bench) open() int {
	ops, _, err := b.store.List(b.t.Context(), testLink, 10_000)
	if err != nil {
		return -1
	}
	n := 0
	for _, op := range ops {
		if !operation.Ended(op) {
			n++
		}
	}
	return n
}

// B73: the whole store comes back from an older copy.
func TestAfterAnOlderStoreCameBackNewOperationsRunAndOldOnesEnd(t *testing.T) {
	b := newBench(t)
	b.stand.looks = 1 << 30 // the old operation stays open
	b.hire("w1", nil).run()
	old := b.submit("create_workload", map[string]any{"name": "old"})
	until(t, "the old one was sent", func() bool { return b.stand.named("old") == 1 })
	b.nats.Stop()
	copied := b.nats.Copy(b.nats.Dir)
	b.nats.Start()
	b.stand.count(func(s *stand) int { s.looks = 0; return 0 })
	for i := range 20 { // the stream and its consumer go far ahead of the copy
		b.endsWith(b.submit("create_workload", map[string]any{"name": fmt.Sprint("lost-", i)}), "", "")
	}
	b.nats.Stop()
	b.nats.Dir = copied
	b.nats.Start()
	b.stand.count(func(s *stand) int { clear(s.pending); return 0 })
	b.endsWith(b.submit("create_workload", map[string]any{"name": "new"}), "", "")
	b.endsWith(old, "", "")
	if n := b.stand.named("old"); n != 1 {
		t.Errorf("old exists %d times", n)
	}
}

// B73: only the queue's messages are from an older copy: its consumer is ahead.
func TestAConsumerThatIsAheadOfItsStreamIsMadeAnew(t *testing.T) {
	b := newBench(t)
	stop := b.hire("w1", nil).run()
	for i := range 3 {
		b.endsWith(b.submit("create_workload", map[string]any{"name": fmt.Sprint("a-", i)}), "", "")
	}
	b.queueEmpty()
	b.nats.Stop()
	messages := filepath.Join(b.nats.Dir, "jetstream", "$G", "streams", bus.OperationStream, "msgs")
	older := b.nats.Copy(messages)
	b.nats.Start()
	for i := range 10 {
		b.endsWith(b.submit("create_workload", map[string]any{"name": fmt.Sprint("b-", i)}), "", "")
	}
	b.queueEmpty()
	stop()
	lost := b.submit("create_workload", map[string]any{"name": "lost"}) // its message is in the newer copy only
	b.nats.Stop()
	if err := os.RemoveAll(messages); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(messages, os.DirFS(older)); err != nil {
		t.Fatal(err)
	}
	b.nats.Start()
	w2 := b.hire("w2", nil)
	w2.run()
	b.endsWith(b.submit("create_workload", map[string]any{"name": "new"}), "", "")
	b.endsWith(lost, "", "")
	if n := b.stand.named("lost"); n != 1 {
		t.Errorf("lost exists %d times", n)
	}
	t.Logf("the consumer was made anew %v times", testutil.ToFloat64(w2.metrics.recreated))
}

// The server may repair that by itself; our own repair must not depend on it.
func TestTheRepairRemovesAConsumerThatIsAhead(t *testing.T) {
	b := newBench(t)
	h := b.hire("w1", nil)
	if _, err := h.queue.ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	ahead := &aheadJS{JetStream: b.bus.JS}
	h.queue.js = ahead
	if err := h.queue.repair(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := testutil.ToFloat64(h.metrics.recreated); n != 1 || ahead.deleted != bus.OperationConsumer {
		t.Errorf("recreated %v, deleted %q", n, ahead.deleted)
	}
	h.queue.js = b.bus.JS
	if _, err := h.queue.ensure(t.Context()); err != nil {
		t.Errorf("the new consumer: %v", err)
	}
	if n := testutil.ToFloat64(h.metrics.recreated); n != 1 {
		t.Errorf("a healthy consumer was made anew")
	}
}

// aheadJS reports a consumer that has seen message 50 of an empty stream.
type aheadJS struct {
	jetstream.JetStream
	deleted string
}

func (a *aheadJS) Consumer(context.Context, string, string) (jetstream.Consumer, error) {
	return aheadConsumer{}, nil
}

func (a *aheadJS) DeleteConsumer(ctx context.Context, stream, consumer string) error {
	a.deleted = consumer
	return a.JetStream.DeleteConsumer(ctx, stream, consumer)
}

type aheadConsumer struct{ jetstream.Consumer }

func (aheadConsumer) CachedInfo() *jetstream.ConsumerInfo {
	return &jetstream.ConsumerInfo{Delivered: jetstream.SequenceInfo{Stream: 50}, AckFloor: jetstream.SequenceInfo{Stream: 50}}
}

func TestAQueueThatWasRemovedComesBack(t *testing.T) {
	b := newBench(t)
	b.hire("w1", nil).run()
	b.endsWith(b.submit("create_workload", map[string]any{"name": "a"}), "", "")
	if err := b.bus.JS.DeleteConsumer(t.Context(), bus.OperationStream, bus.OperationConsumer); err != nil {
		t.Fatal(err)
	}
	b.endsWith(b.submit("create_workload", map[string]any{"name": "b"}), "", "")
}

func TestWhatTheReconcilerMakesOfNeglectedRecords(t *testing.T) {
	type state struct {
		published uint32
		phase     operationv1.Phase
		sent      bool
		age       time.Duration
	}
	for name, c := range map[string]struct {
		state  state
		code   problem.Code
		reason string
	}{
		"its message was lost: it runs":             {state{published: 1, phase: operationv1.Phase_PHASE_QUEUED}, "", ""},
		"it was stored and never queued: it runs":   {state{phase: operationv1.Phase_PHASE_QUEUED}, "", ""},
		"nobody approved it for too long":           {state{phase: operationv1.Phase_PHASE_AWAITING_APPROVAL, age: 2 * time.Hour}, problem.SinPermiso, problem.AprobacionExpirada},
		"it is too old and nothing was sent":        {state{published: 1, phase: operationv1.Phase_PHASE_QUEUED, age: 2 * time.Hour}, problem.EstadoInvalido, ""},
		"it is too old and it was sent: unknown":    {state{published: 1, phase: operationv1.Phase_PHASE_EXECUTING, sent: true, age: 2 * time.Hour}, problem.EstadoInvalido, problem.ResultadoDesconocido},
		"it lost its message while it was verified": {state{published: 4, phase: operationv1.Phase_PHASE_QUEUED}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			op := b.operation("create_workload", map[string]any{"name": "shop"})
			op.State, op.Phase, op.Published = operationv1.State_STATE_RUNNING, c.state.phase, c.state.published
			if c.state.sent {
				op.Step = &operationv1.Step{State: operationv1.Step_STATE_SENT, SentAt: stamp(time.Now().Add(-c.state.age))}
			}
			op.CreatedAt = stamp(time.Now().Add(-c.state.age))
			op.UpdatedAt = stamp(time.Now().Add(-time.Minute))
			key, _ := operation.Key(testLink, op.GetId())
			records := record.Open[*operationv1.Operation](b.bus, bus.Operations)
			if _, err := records.Create(t.Context(), key, op); err != nil {
				t.Fatal(err)
			}
			b.hire("w1", nil).run()
			b.hire("w2", nil).run()
			b.endsWith(op, c.code, c.reason)
			want := 0
			if c.code == "" {
				want = 1
			}
			if n := b.stand.named("shop"); n != want {
				t.Errorf("shop exists %d times, want %d", n, want)
			}
			b.queueEmpty()
		})
	}
}

// A long queue is no lost queue: nothing is published twice.
func TestAnOperationThatWaitsItsTurnIsNotQueuedAgain(t *testing.T) {
	b := newBench(t)
	release := make(chan struct{})
	var began atomic.Int64
	h := b.hire("w1", func(h *hand) {
		h.Work.Parallel, h.Work.LostAfter, h.Work.Reconcile = 1, time.Second, 50*time.Millisecond
		inner := h.Rights
		h.Rights = rights(func(ctx context.Context, op *operationv1.Operation) (*identity.Principal, []byte, error) {
			began.Add(1)
			<-release
			return inner.Release(ctx, op)
		})
	})
	h.run()
	first := b.submit("create_workload", map[string]any{"name": "first"})
	second := b.submit("create_workload", map[string]any{"name": "second"})
	until(t, "the first one runs", func() bool { return began.Load() == 1 })
	until(t, "the second one looks neglected", func() bool {
		all, ok := h.live.snapshot()
		key, _ := operation.Key(testLink, second.GetId())
		return ok && h.neglected(all[key])
	})
	if err := h.reconcileOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := b.store.Get(t.Context(), testLink, second.GetId())
	if err != nil || got.GetPublished() != 1 {
		t.Errorf("published %d times, %v", got.GetPublished(), err)
	}
	close(release)
	b.endsWith(first, "", "")
	b.endsWith(second, "", "")
}

func TestReadinessTellsWhetherOperationsAreCarriedOut(t *testing.T) {
	b := newBench(t)
	h := b.hire("w1", nil)
	if h.Ready(t.Context()) == nil {
		t.Error("ready before it began")
	}
	h.run()
	until(t, "it is ready", func() bool { return h.Ready(t.Context()) == nil })
	b.nats.Stop()
	until(t, "it is not ready without NATS", func() bool { return h.Ready(t.Context()) != nil })
	b.nats.Start()
	until(t, "it is ready again", func() bool { return h.Ready(t.Context()) == nil })
}
