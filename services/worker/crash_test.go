package worker

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/once"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// death says where a worker's power is cut.
type death func(h *hand)

func dieBeforeSend(h *hand) { h.platform = dyingPlatform(h, transport{before: h.die}) }
func dieAfterSend(h *hand)  { h.platform = dyingPlatform(h, transport{after: h.die}) }

func dyingPlatform(h *hand, tr transport) *platform.Client {
	client := platform.New(platform.Config{URL: h.bench.stand.URL}, platform.Options{HTTP: &http.Client{Transport: tr}})
	h.Writer = &once.Writer{Platform: client, Tools: standTools().find, Settle: 300 * time.Millisecond, Patient: true}
	return client
}

// dieAtRecord dies before or after the journal took its n-th step: the first one
// is SENT, the second one ANSWERED.
func dieAtRecord(n int, afterwards bool) death {
	return func(h *hand) {
		inner := h.Writer
		h.Writer = writer(func(ctx context.Context, r platform.Request, j once.Journal) (*platform.Answer, error) {
			return inner.Write(ctx, r, &dyingJournal{Journal: j, die: h.die, at: n, afterwards: afterwards})
		})
	}
}

type dyingJournal struct {
	once.Journal
	die        func()
	at, seen   int
	afterwards bool
}

func (d *dyingJournal) Record(ctx context.Context, step *operationv1.Step) error {
	d.seen++
	if d.seen == d.at && !d.afterwards {
		d.die()
	}
	err := d.Journal.Record(ctx, step)
	if d.seen == d.at && d.afterwards {
		d.die()
	}
	return err
}

func dieWithTheClaim(h *hand) {
	h.Rights = rights(func(context.Context, *operationv1.Operation) (*identity.Principal, []byte, error) {
		h.die()
		return nil, nil, context.Canceled
	})
}

func dieWhileVerifying(h *hand) {
	h.Prober = prober(func(context.Context, platform.Request) (*platform.Answer, error) {
		h.die()
		return nil, context.Canceled
	})
}

func dieBeforeAck(h *hand) {
	h.Audit = &ledger{hooks: func(*operationv1.Operation) error { h.die(); return context.Canceled }}
}

// Whatever dies where: another worker finishes, and the platform saw one create.
func TestAWorkerThatDiesIsReplacedAndNothingIsDoneTwice(t *testing.T) {
	for name, die := range map[string]death{
		"as soon as it has the operation":    dieWithTheClaim,
		"before it records that it sends":    dieAtRecord(1, false),
		"after it recorded that it sends":    dieAtRecord(1, true),
		"before the request leaves":          dieBeforeSend,
		"after the platform answered":        dieAfterSend,
		"before the answer is recorded":      dieAtRecord(2, false),
		"after the answer was recorded":      dieAtRecord(2, true),
		"while it waits for the platform":    dieWhileVerifying,
		"before it acknowledges the message": dieBeforeAck,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.stand.looks = 2
			victim := b.hire("victim", func(h *hand) { h.Work.Parallel = 1; die(h) })
			victim.run()
			op := b.submit("create_workload", map[string]any{"name": "shop"})
			until(t, "the first worker is dead", victim.died.Load)
			b.hire("heir", nil).run()
			view := b.endsWith(op, "", "")
			b.queueEmpty()
			if n := b.stand.count(func(s *stand) int { return s.posts }); n != 1 {
				t.Errorf("%d creates, want 1", n)
			}
			data := view["resultado"].(map[string]any)["data"].(map[string]any)
			if data["id"] != json.Number("101") {
				t.Errorf("result %v", view["resultado"])
			}
			if b.audit.told(op.GetId()) == 0 {
				t.Error("the audit does not know of the end")
			}
		})
	}
}

// A job that takes every worker down with it is retired in the end.
func TestAnOperationThatKillsEveryWorkerIsRetired(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	op := b.submit("create_workload", map[string]any{"name": "bomb"})
	for range quick().MaxCrashes {
		victim := b.hire("victim", func(h *hand) {
			h.Work.Parallel, h.Work.AckWait = 1, 200*time.Millisecond
			dieAtRecord(1, false)(h)
		})
		victim.run()
		until(t, "the worker is dead", victim.died.Load)
	}
	b.hire("survivor", func(h *hand) { h.Work.AckWait = 200 * time.Millisecond }).run()
	b.endsWith(op, problem.Interno, "")
	b.queueEmpty()
	if n := b.stand.count(func(s *stand) int { return s.posts }); n != 0 {
		t.Errorf("%d creates", n)
	}
}

// B74: work longer than AckWait is not begun a second time, and a dead worker is
// replaced.
func TestALongJobIsNotBegunTwice(t *testing.T) {
	b := newBench(t)
	var writes atomic.Int64
	slow := func(h *hand) {
		h.Work.AckWait = 300 * time.Millisecond
		inner := h.Writer
		h.Writer = writer(func(ctx context.Context, r platform.Request, j once.Journal) (*platform.Answer, error) {
			writes.Add(1)
			select {
			case <-time.After(5 * h.Work.AckWait):
			case <-ctx.Done():
				t.Error("the job was taken away from its worker")
			}
			return inner.Write(ctx, r, j)
		})
	}
	b.hire("w1", slow).run()
	b.hire("w2", slow).run()
	b.endsWith(b.submit("create_workload", map[string]any{"name": "shop"}), "", "")
	b.queueEmpty()
	if writes.Load() != 1 {
		t.Errorf("begun %d times, want 1", writes.Load())
	}
}

// The worker was asleep for longer than its lease, between the journal's SENT and
// the sending. It must not send when it wakes: another one may have by then.
func TestAWorkerThatLostItsLeaseSendsNothing(t *testing.T) {
	b := newBench(t)
	asleep, wake := make(chan struct{}), make(chan struct{})
	var ended atomic.Bool
	sleeper := b.hire("sleeper", func(h *hand) {
		h.Work.Parallel, h.Work.AckWait = 1, 300*time.Millisecond
		h.Rights = rights(func(ctx context.Context, _ *operationv1.Operation) (*identity.Principal, []byte, error) {
			h.Parts.Bus.Conn.Close() // it renews nothing while it sleeps
			close(asleep)
			<-wake
			ended.Store(ctx.Err() != nil)
			return principal(), nil, nil
		})
	})
	stop := sleeper.run()
	op := b.submit("create_workload", map[string]any{"name": "shop"})
	<-asleep
	b.hire("heir", func(h *hand) { h.Work.AckWait = 300 * time.Millisecond }).run()
	b.endsWith(op, "", "")
	close(wake)
	stop()
	if !ended.Load() {
		t.Error("the sleeper's try was not ended")
	}
	if n := b.stand.count(func(s *stand) int { return s.posts }); n != 1 {
		t.Errorf("%d creates, want 1", n)
	}
}

func TestAWorkerThatIsToldToStopFinishesWhatItSentAndGivesTheRestBack(t *testing.T) {
	b := newBench(t)
	b.stand.looks = 1 << 30 // the operation stays in verification
	sending, release := make(chan struct{}), make(chan struct{})
	b.stand.instead = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost {
			close(sending)
			<-release
		}
		return false
	}
	stop := b.hire("w1", nil).run()
	op := b.submit("create_workload", map[string]any{"name": "shop"})
	<-sending
	stopped := make(chan struct{})
	go func() { stop(); close(stopped) }()
	close(release)
	<-stopped
	got, err := b.store.Get(t.Context(), testLink, op.GetId())
	if err != nil || got.GetPhase() != operationv1.Phase_PHASE_VERIFYING || got.GetLease() != nil || !operation.Sent(got) {
		t.Fatalf("left as %v, %v", got, err)
	}
	b.stand.count(func(s *stand) int { clear(s.pending); return 0 })
	b.hire("w2", nil).run()
	b.endsWith(op, "", "")
	if n := b.stand.count(func(s *stand) int { return s.posts }); n != 1 {
		t.Errorf("%d creates, want 1", n)
	}
}
