package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/once"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

func TestAnOperationRunsToItsEnd(t *testing.T) {
	for name, looks := range map[string]int{"that the platform answers at once": 0, "that the platform works on for a while": 3} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.stand.looks = looks
			b.hire("w1", nil).run()
			op := b.submit("create_workload", map[string]any{"name": "shop"})
			view := b.endsWith(op, "", "")
			want := map[string]any{"state": "executed", "data": map[string]any{"id": json.Number("101"), "name": "shop"}}
			if diff := cmp.Diff(want, view["resultado"]); diff != "" {
				t.Errorf("result: %s", diff)
			}
			if view["fase"] != "terminada" || view["progreso"] != nil || view["reintentar_en_segundos"] != nil {
				t.Errorf("view %v", view)
			}
			b.queueEmpty()
			if n := b.stand.count(func(s *stand) int { return s.posts }); n != 1 {
				t.Errorf("%d creates, want 1", n)
			}
			if b.audit.told(op.GetId()) != 1 {
				t.Errorf("the audit was told %d times", b.audit.told(op.GetId()))
			}
		})
	}
}

func TestWhileThePlatformWorksTheOperationIsVerifying(t *testing.T) {
	b := newBench(t)
	b.stand.looks = 1 << 30
	b.hire("w1", nil).run()
	op := b.submit("create_workload", map[string]any{"name": "shop"})
	until(t, "it verifies", func() bool {
		got, err := b.store.Get(t.Context(), testLink, op.GetId())
		return err == nil && got.GetPhase() == operationv1.Phase_PHASE_VERIFYING && got.GetLease() == nil
	})
	got, err := b.store.Cancel(t.Context(), testLink, op.GetId())
	if err != nil || operation.Ended(got) {
		t.Errorf("cancelled after it reached the platform: %v, %v", got, err)
	}
	b.stand.count(func(s *stand) int { clear(s.pending); return 0 })
	b.endsWith(op, "", "")
}

func TestADeletionEndsWhenTheResourceIsGone(t *testing.T) {
	b := newBench(t)
	b.stand.names[5], b.stand.looks = "old", 2
	b.hire("w1", nil).run()
	view := b.endsWith(b.submit("delete_workload", map[string]any{"workload_id": json.Number("5")}), "", "")
	if diff := cmp.Diff(map[string]any{"state": "executed"}, view["resultado"]); diff != "" {
		t.Error(diff)
	}
	if b.stand.named("old") != 0 {
		t.Error("it is still there")
	}
}

// B68: somebody else removed it; nobody goes on looking.
func TestAResourceThatVanishesWhileItIsMadeIsNotWaitedFor(t *testing.T) {
	b := newBench(t)
	b.stand.looks = 1 << 30
	late := atomic.Bool{}
	b.hire("w1", func(h *hand) {
		h.Now = func() time.Time {
			if late.Load() {
				return time.Now().Add(2 * appearFor)
			}
			return time.Now()
		}
	}).run()
	op := b.submit("create_workload", map[string]any{"name": "shop"})
	until(t, "it is there", func() bool { return b.stand.named("shop") == 1 })
	late.Store(true)
	b.stand.count(func(s *stand) int { clear(s.names); return 0 })
	b.endsWith(op, problem.NoEncontrado, "")
}

func TestAPlatformThatNeverCompletesLeavesTheResultUnknown(t *testing.T) {
	b := newBench(t)
	b.stand.looks = 1 << 30
	b.hire("w1", func(h *hand) { h.Work.VerifyFor = 200 * time.Millisecond }).run()
	view := b.endsWith(b.submit("create_workload", map[string]any{"name": "shop"}), problem.EstadoInvalido, problem.ResultadoDesconocido)
	told := view["error"].(map[string]any)
	if told["reintentable"] != false || !strings.Contains(fmt.Sprint(told["que_hacer"]), "retrieve_workload") {
		t.Errorf("error %v", told)
	}
}

func TestSecretArgumentsTravelSealedAndTheCredentialIsTheCompanys(t *testing.T) {
	b := newBench(t)
	b.hire("w1", func(h *hand) {
		h.Rights = rights(func(_ context.Context, op *operationv1.Operation) (*identity.Principal, []byte, error) {
			if string(op.GetSealed()) != "sealed" {
				t.Errorf("sealed %q", op.GetSealed())
			}
			return principal(), []byte(`{"token":"s3cret"}`), nil
		})
	}).run()
	b.endsWith(b.submit("create_workload", map[string]any{"name": "shop"}), "", "")
	b.stand.count(func(s *stand) int {
		if diff := cmp.Diff(map[string]any{"name": "shop", "token": "s3cret"}, s.last); diff != "" {
			t.Errorf("body: %s", diff)
		}
		if len(s.seen) != 1 || s.seen[string(testSecret)] == 0 {
			t.Errorf("credentials seen: %v", s.seen)
		}
		return 0
	})
}

func TestRightsAreJudgedAfreshAndARefusalEndsTheOperation(t *testing.T) {
	refused := func(err error) rights {
		return func(context.Context, *operationv1.Operation) (*identity.Principal, []byte, error) {
			return nil, nil, err
		}
	}
	changed := func(change func(*identity.Principal)) rights {
		return func(context.Context, *operationv1.Operation) (*identity.Principal, []byte, error) {
			p := principal()
			change(p)
			return p, nil, nil
		}
	}
	for name, c := range map[string]struct {
		rights rights
		reason string
	}{
		"the link was revoked":        {refused(&identity.Refused{Kind: identity.RefusedRevoked}), problem.Revocado},
		"the token is no longer good": {refused(&identity.Refused{Kind: identity.RefusedToken}), problem.Revocado},
		"the seal cannot be opened":   {refused(identity.ErrCannotOpen), problem.CredencialInvalida},
		"the company is out of scope": {changed(func(p *identity.Principal) { p.Companies[0].ID = 8 }), problem.Revocado},
		"the link may only read now":  {changed(func(p *identity.Principal) { p.Scope.ReadOnly = true }), problem.SoloLectura},
		"the area was taken away":     {changed(func(p *identity.Principal) { p.Scope.Areas = []string{"docs"} }), problem.Alcance},
		"the workload is out of scope": {changed(func(p *identity.Principal) {
			p.Scope.Resources = map[string]identity.Resources{"workload": {IDs: []string{"6"}}}
		}), problem.Alcance},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.stand.names[5] = "mine"
			b.hire("w1", func(h *hand) { h.Rights = c.rights }).run()
			b.endsWith(b.submit("delete_workload", map[string]any{"workload_id": json.Number("5")}), problem.SinPermiso, c.reason)
			b.queueEmpty()
			if n := b.stand.count(func(s *stand) int { return s.deletes }); n != 0 {
				t.Errorf("%d deletions reached the platform", n)
			}
		})
	}
}

func TestWhileAuthIsAwayTheOperationWaitsWithoutLosingTries(t *testing.T) {
	b := newBench(t)
	var asked atomic.Int64
	b.hire("w1", func(h *hand) {
		h.Rights = rights(func(ctx context.Context, op *operationv1.Operation) (*identity.Principal, []byte, error) {
			if asked.Add(1) < int64(3*h.Work.MaxTries) {
				return nil, nil, errors.New("unavailable")
			}
			return principal(), nil, nil
		})
	}).run()
	b.endsWith(b.submit("create_workload", map[string]any{"name": "shop"}), "", "")
}

func TestTheRefusalOfThePlatformIsTheOperationsError(t *testing.T) {
	b := newBench(t)
	b.stand.instead = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusConflict)
		_, _ = w.Write([]byte(`{"detail":"name already exists"}`))
		return true
	}
	b.hire("w1", nil).run()
	op := b.submit("create_workload", map[string]any{"name": "shop"})
	b.endsWith(op, problem.Conflicto, "")
	b.queueEmpty()
	got, err := b.store.Get(t.Context(), testLink, op.GetId())
	if err != nil || operation.Sent(got) {
		t.Errorf("a refused write counts as sent: %v, %v", got, err)
	}
}

func TestAPlatformThatTurnsRequestsAwayIsWaitedFor(t *testing.T) {
	b := newBench(t)
	var refusals atomic.Int64
	b.stand.instead = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost || refusals.Add(1) > 1 {
			return false
		}
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	}
	b.hire("w1", nil).run()
	b.endsWith(b.submit("create_workload", map[string]any{"name": "shop"}), "", "")
	if n := b.stand.named("shop"); n != 1 {
		t.Errorf("%d workloads, want 1", n)
	}
}

func TestAPlatformThatKeepsTurningRequestsAwayEndsTheOperationInTime(t *testing.T) {
	b := newBench(t)
	b.stand.instead = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost {
			return false
		}
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	}
	b.hire("w1", func(h *hand) { h.Work.SendFor = 200 * time.Millisecond }).run()
	b.endsWith(b.submit("create_workload", map[string]any{"name": "shop"}), problem.LimiteExcedido, "")
}

func TestALostAnswerIsLookedIntoAndNothingIsDoneTwice(t *testing.T) {
	for name, took := range map[string]bool{"the write took effect": true, "the write was lost on the way": false} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			var lost atomic.Bool
			drop := func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodPost || !lost.CompareAndSwap(false, true) {
					return false
				}
				panic(http.ErrAbortHandler) // the connection breaks
			}
			if took {
				b.stand.after = drop
			} else {
				b.stand.instead = drop
			}
			b.hire("w1", nil).run()
			view := b.endsWith(b.submit("create_workload", map[string]any{"name": "shop"}), "", "")
			if n := b.stand.named("shop"); n != 1 {
				t.Errorf("%d workloads, want 1", n)
			}
			data := view["resultado"].(map[string]any)["data"].(map[string]any)
			if data["id"] != json.Number("101") {
				t.Errorf("result %v", view["resultado"])
			}
		})
	}
}

func TestACancelledOperationIsNotRun(t *testing.T) {
	b := newBench(t)
	op := b.submit("create_workload", map[string]any{"name": "shop"})
	if _, err := b.store.Cancel(t.Context(), testLink, op.GetId()); err != nil {
		t.Fatal(err)
	}
	b.hire("w1", nil).run()
	b.queueEmpty()
	b.endsWith(op, problem.EstadoInvalido, problem.Cancelada)
	if n := b.stand.count(func(s *stand) int { return s.posts }); n != 0 {
		t.Errorf("%d creates", n)
	}
}

// The person cancels at the very moment at which the worker is about to send.
func TestACancellationBetweenTheClaimAndTheSendingStopsTheWrite(t *testing.T) {
	b := newBench(t)
	b.hire("w1", func(h *hand) {
		inner := h.Writer
		h.Writer = writer(func(ctx context.Context, r platform.Request, j once.Journal) (*platform.Answer, error) {
			if got, err := b.store.Cancel(t.Context(), testLink, r.Key); err != nil || got.GetPhase() != operationv1.Phase_PHASE_CANCELLED {
				t.Errorf("cancel: %v, %v", got, err)
			}
			return inner.Write(ctx, r, j)
		})
	}).run()
	op := b.submit("create_workload", map[string]any{"name": "shop"})
	b.endsWith(op, problem.EstadoInvalido, problem.Cancelada)
	b.queueEmpty()
	if n := b.stand.count(func(s *stand) int { return s.posts }); n != 0 {
		t.Errorf("%d creates", n)
	}
}

// B76: a poison message in front of good ones.
func TestAnOperationThatPanicsEachTimeIsRetiredAndTheOthersGoOn(t *testing.T) {
	b := newBench(t)
	h := b.hire("w1", func(h *hand) {
		inner := h.Writer
		h.Writer = writer(func(ctx context.Context, r platform.Request, j once.Journal) (*platform.Answer, error) {
			if r.Args["name"] == "poison" {
				panic("cannot digest")
			}
			return inner.Write(ctx, r, j)
		})
	})
	h.run()
	poison := b.submit("create_workload", map[string]any{"name": "poison"})
	var good []*operationv1.Operation
	for _, name := range []string{"a", "b", "c"} {
		good = append(good, b.submit("create_workload", map[string]any{"name": name}))
	}
	for _, op := range good {
		b.endsWith(op, "", "")
	}
	view := b.endsWith(poison, problem.Interno, "")
	if id := view["error"].(map[string]any)["correlacion_id"]; id != "01CALL" {
		t.Errorf("correlacion_id %v", id)
	}
	b.queueEmpty()
	if n := testutil.ToFloat64(h.metrics.retired); n != 1 {
		t.Errorf("retired metric %v", n)
	}
	if n := testutil.ToFloat64(h.metrics.panics); n != float64(h.Work.MaxTries) {
		t.Errorf("%v panics, want %d", n, h.Work.MaxTries)
	}
}

func TestAMessageThatNamesNoOperationIsDropped(t *testing.T) {
	b := newBench(t)
	b.hire("w1", nil).run()
	for _, data := range []string{"", "no key", "a.*", testLink + "." + operation.NewID(time.Now())} {
		if _, err := b.bus.JS.Publish(t.Context(), bus.OperationSubject, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	op := b.submit("create_workload", map[string]any{"name": "shop"})
	b.endsWith(op, "", "")
	b.queueEmpty()
}

func TestAToolThatTheWorkerDoesNotKnowEndsTheOperation(t *testing.T) {
	b := newBench(t)
	b.hire("w1", nil).run()
	b.endsWith(b.submit("create_nothing", map[string]any{}), problem.Interno, "")
	b.queueEmpty()
}

func TestTwoHundredOperationsOnTwoWorkersRunOnceEach(t *testing.T) {
	b := newBench(t)
	b.stand.looks = 1
	b.hire("w1", nil).run()
	b.hire("w2", nil).run()
	var ops []*operationv1.Operation
	for range 200 {
		ops = append(ops, b.submit("create_workload", map[string]any{"name": operation.NewID(time.Now())}))
	}
	for _, op := range ops {
		b.endsWith(op, "", "")
	}
	b.queueEmpty()
	if n := b.stand.count(func(s *stand) int { return s.posts }); n != 200 {
		t.Errorf("%d creates, want 200", n)
	}
}
