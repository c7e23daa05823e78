package operation_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/operation/natstest"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

const link = "pt_0123456789abcdef"

func newOperation(link string) *operationv1.Operation {
	return &operationv1.Operation{
		Id: operation.NewID(time.Now()), LinkId: link, Area: "build", Tool: "create_workload",
		Arguments: []byte(`{"name":"w"}`), CallId: "call-1",
	}
}

func newStore(t *testing.T) (*operation.Store, *bus.Bus) {
	t.Helper()
	b := natstest.Start(t).Connect()
	return operation.NewStore(b, time.Now), b
}

func queueLength(t *testing.T, b *bus.Bus) uint64 {
	t.Helper()
	stream, err := b.JS.Stream(t.Context(), bus.OperationStream)
	if err != nil {
		t.Fatal(err)
	}
	return stream.CachedInfo().State.Msgs
}

func TestASubmittedOperationIsStoredAndQueued(t *testing.T) {
	store, b := newStore(t)
	op := newOperation(link)
	if err := store.Submit(t.Context(), op); err != nil {
		t.Fatal(err)
	}
	got, err := store.Get(t.Context(), link, op.GetId())
	if err != nil {
		t.Fatal(err)
	}
	if got.GetState() != operationv1.State_STATE_RUNNING || got.GetPhase() != operationv1.Phase_PHASE_QUEUED || got.GetPublished() != 1 {
		t.Errorf("stored %v", got)
	}
	if n := queueLength(t, b); n != 1 {
		t.Errorf("%d messages in the queue, want 1", n)
	}
}

func TestSubmittingTheSameIDAgainGivesTheOperationAsItIs(t *testing.T) {
	store, b := newStore(t)
	op := newOperation(link)
	again := newOperation(link)
	again.Id = op.Id
	again.Arguments = []byte(`{"name":"other"}`)
	if err := store.Submit(t.Context(), op); err != nil {
		t.Fatal(err)
	}
	if err := store.Submit(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(op.GetArguments()), string(again.GetArguments())); diff != "" {
		t.Errorf("the second Submit gave another operation: %s", diff)
	}
	if n := queueLength(t, b); n != 1 {
		t.Errorf("%d messages in the queue, want 1", n)
	}
}

// The host died between the record and the message.
func TestARepeatedSubmitQueuesWhatTheFirstOneOnlyStored(t *testing.T) {
	store, b := newStore(t)
	op := newOperation(link)
	key, _ := operation.Key(link, op.GetId())
	op.State, op.Phase = operationv1.State_STATE_RUNNING, operationv1.Phase_PHASE_QUEUED
	records := record.Open[*operationv1.Operation](b, bus.Operations)
	if _, err := records.Create(t.Context(), key, op); err != nil {
		t.Fatal(err)
	}
	if err := store.Submit(t.Context(), op); err != nil {
		t.Fatal(err)
	}
	if n := queueLength(t, b); n != 1 || op.GetPublished() != 1 {
		t.Errorf("%d messages, published %d; want 1 and 1", n, op.GetPublished())
	}
}

func TestAnOperationThatWaitsForAPersonIsNotQueued(t *testing.T) {
	store, b := newStore(t)
	op := newOperation(link)
	op.Phase, op.ApproveUrl = operationv1.Phase_PHASE_AWAITING_APPROVAL, "https://auth.example/approve/1"
	if err := store.Submit(t.Context(), op); err != nil {
		t.Fatal(err)
	}
	if n := queueLength(t, b); n != 0 {
		t.Errorf("%d messages in the queue, want none", n)
	}
}

func TestArgumentsThatNoRecordCanHoldAreTheCallersMistake(t *testing.T) {
	store, b := newStore(t)
	op := newOperation(link)
	op.Arguments = make([]byte, operation.MaxArguments+1)
	if err := store.Submit(t.Context(), op); !problem.Is(err, problem.ParametroInvalido) {
		t.Errorf("Submit = %v, want parametro_invalido", err)
	}
	op.Arguments = make([]byte, operation.MaxArguments)
	if err := store.Submit(t.Context(), op); err != nil {
		t.Errorf("the largest arguments: %v", err)
	}
	if n := queueLength(t, b); n != 1 {
		t.Errorf("%d messages in the queue, want 1", n)
	}
}

// B77: no responders (the stream is gone) after the record was stored.
func TestAnOperationThatCannotBeQueuedLeavesNothingBehind(t *testing.T) {
	store, b := newStore(t)
	if err := b.JS.DeleteStream(t.Context(), bus.OperationStream); err != nil {
		t.Fatal(err)
	}
	op := newOperation(link)
	err := store.Submit(t.Context(), op)
	p := problem.As(err)
	if p == nil || p.Code != problem.EstadoInvalido || !p.Retryable {
		t.Fatalf("Submit = %v, want a retryable estado_invalido", err)
	}
	if _, err := store.Get(t.Context(), link, op.GetId()); !problem.Is(err, problem.NoEncontrado) {
		t.Errorf("the record is still there: %v", err)
	}
	if err := b.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := store.Submit(t.Context(), op); err != nil {
		t.Errorf("the repeat: %v", err)
	}
}

func TestWhileNATSIsAwayTheCallerIsToldSo(t *testing.T) {
	server := natstest.Start(t)
	store := operation.NewStore(server.Connect(), time.Now)
	server.Stop()
	keyed := newOperation(link)
	keyed.IdempotencyKey = "k" // a repeat leads to the same operation, whatever became of the first
	err := store.Submit(t.Context(), keyed)
	if p := problem.As(err); p == nil || p.Code != problem.EstadoInvalido || !p.Retryable || p.RetryAfter == 0 {
		t.Errorf("Submit = %v, want a retryable estado_invalido that says when", err)
	}
	server.Start()
	if err := store.Submit(t.Context(), newOperation(link)); err != nil {
		t.Errorf("Submit after NATS came back: %v", err)
	}
}

func TestNobodyFindsAnothersOperation(t *testing.T) {
	store, _ := newStore(t)
	op := newOperation(link)
	if err := store.Submit(t.Context(), op); err != nil {
		t.Fatal(err)
	}
	for name, ids := range map[string][2]string{
		"another link":            {"01J9ZZZZZZZZZZZZZZZZZZZZZZ", op.GetId()},
		"an id that never was":    {link, operation.NewID(time.Now())},
		"an id that is none":      {link, "workload-7"},
		"an empty id":             {link, ""},
		"a wildcard":              {link, "*"},
		"a link that is a prefix": {"pt_0123456789abcde", op.GetId()},
		"a link with a wildcard":  {"*", op.GetId()},
		"an id with dots":         {link, op.GetId() + ".x"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := store.Get(t.Context(), ids[0], ids[1]); !problem.Is(err, problem.NoEncontrado) {
				t.Errorf("Get = %v, want no_encontrado", err)
			}
			if _, err := store.Cancel(t.Context(), ids[0], ids[1]); !problem.Is(err, problem.NoEncontrado) {
				t.Errorf("Cancel = %v, want no_encontrado", err)
			}
			if _, err := store.Wait(t.Context(), ids[0], ids[1], time.Minute); !problem.Is(err, problem.NoEncontrado) {
				t.Errorf("Wait = %v, want no_encontrado", err)
			}
		})
	}
	if _, err := store.Get(t.Context(), link, strings.ToLower(op.GetId())); err != nil {
		t.Errorf("the same ULID in small letters: %v", err)
	}
}

func TestALinksOperationsAreListedNewestFirst(t *testing.T) {
	store, _ := newStore(t)
	var want []string
	for i := range 5 {
		op := newOperation(link)
		op.Id = operation.NewID(time.Now().Add(time.Duration(i) * time.Second))
		want = append([]string{op.Id}, want...)
		if err := store.Submit(t.Context(), op); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Submit(t.Context(), newOperation("01J9ZZZZZZZZZZZZZZZZZZZZZZ")); err != nil {
		t.Fatal(err)
	}
	ops, total, err := store.List(t.Context(), link, 3)
	if err != nil || total != 5 {
		t.Fatalf("List: %d in all, %v; want 5", total, err)
	}
	var got []string
	for _, op := range ops {
		got = append(got, op.GetId())
	}
	if diff := cmp.Diff(want[:3], got); diff != "" {
		t.Error(diff)
	}
	ops, total, err = store.List(t.Context(), "pt_ffffffffffffffff", 3)
	if err != nil || total != 0 || len(ops) != 0 {
		t.Errorf("a link without operations: %v, %d, %v", ops, total, err)
	}
}

func TestWaitGivesTheOperationWhenItEnds(t *testing.T) {
	store, _ := newStore(t)
	op := newOperation(link)
	if err := store.Submit(t.Context(), op); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		got, err := store.Wait(t.Context(), link, op.GetId(), time.Minute)
		if err != nil || got.GetState() != operationv1.State_STATE_OK {
			t.Errorf("Wait = %v, %v; want it ended", got, err)
		}
	})
	finish(t, store, op)
	wg.Wait()
}

func TestWaitGivesTheOperationAsItIsWhenTheTimeIsOver(t *testing.T) {
	store, _ := newStore(t)
	op := newOperation(link)
	if err := store.Submit(t.Context(), op); err != nil {
		t.Fatal(err)
	}
	got, err := store.Wait(t.Context(), link, op.GetId(), 50*time.Millisecond)
	if err != nil || operation.Ended(got) {
		t.Errorf("Wait = %v, %v; want it running", got, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if got, err := store.Wait(ctx, link, op.GetId(), time.Minute); err != nil || operation.Ended(got) {
		t.Errorf("Wait of a caller that left = %v, %v; want it running", got, err)
	}
}

func finish(t *testing.T, store *operation.Store, op *operationv1.Operation) {
	t.Helper()
	rec := load(t, store, op)
	err := store.Save(t.Context(), rec, func(op *operationv1.Operation) {
		if err := operation.Succeed(op, map[string]any{"id": json.Number("9007199254740993")}); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, store *operation.Store, op *operationv1.Operation) *operation.Record {
	t.Helper()
	key, _ := operation.Key(op.GetLinkId(), op.GetId())
	rec, err := store.Load(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func TestCancelStopsWhatHasNotReachedThePlatform(t *testing.T) {
	sent := &operationv1.Step{State: operationv1.Step_STATE_SENT, SentAt: timestamppb.Now()}
	for name, c := range map[string]struct {
		change    func(*operationv1.Operation)
		cancelled bool
	}{
		"queued":                          {func(*operationv1.Operation) {}, true},
		"waiting for a person":            {func(op *operationv1.Operation) { op.Phase = operationv1.Phase_PHASE_AWAITING_APPROVAL }, true},
		"taken by a worker, nothing sent": {func(op *operationv1.Operation) { op.Phase = operationv1.Phase_PHASE_EXECUTING }, true},
		"refused by the platform, to be tried again": {func(op *operationv1.Operation) {
			op.Phase, op.Step = operationv1.Phase_PHASE_EXECUTING, &operationv1.Step{}
		}, true},
		"sent":      {func(op *operationv1.Operation) { op.Phase, op.Step = operationv1.Phase_PHASE_EXECUTING, sent }, false},
		"verifying": {func(op *operationv1.Operation) { op.Phase, op.Step = operationv1.Phase_PHASE_VERIFYING, sent }, false},
	} {
		t.Run(name, func(t *testing.T) {
			store, _ := newStore(t)
			op := newOperation(link)
			op.Sealed = []byte("sealed")
			if err := store.Submit(t.Context(), op); err != nil {
				t.Fatal(err)
			}
			if err := store.Save(t.Context(), load(t, store, op), c.change); err != nil {
				t.Fatal(err)
			}
			got, err := store.Cancel(t.Context(), link, op.GetId())
			if err != nil {
				t.Fatal(err)
			}
			view := operation.View(got)
			if cancelled := view["fase"] == "cancelada"; cancelled != c.cancelled {
				t.Fatalf("fase = %v", view["fase"])
			}
			if !c.cancelled {
				return
			}
			told := view["error"].(map[string]any)
			if view["estado"] != "error" || told["code"] != "estado_invalido" || told["detalle"].(map[string]any)["motivo"] != "cancelada" {
				t.Errorf("view = %v", view)
			}
			if got.GetSealed() != nil {
				t.Error("a cancelled operation still holds a credential")
			}
			again, err := store.Cancel(t.Context(), link, op.GetId())
			if err != nil || again.GetPhase() != operationv1.Phase_PHASE_CANCELLED {
				t.Errorf("cancelling again = %v, %v", again, err)
			}
		})
	}
}

func TestAChangeOfAnOldRecordIsAConflict(t *testing.T) {
	store, _ := newStore(t)
	op := newOperation(link)
	if err := store.Submit(t.Context(), op); err != nil {
		t.Fatal(err)
	}
	mine, others := load(t, store, op), load(t, store, op)
	if err := store.Save(t.Context(), others, func(op *operationv1.Operation) { op.Tries = 1 }); err != nil {
		t.Fatal(err)
	}
	err := store.Save(t.Context(), mine, func(op *operationv1.Operation) { op.Tries = 7 })
	if !errors.Is(err, record.ErrConflict) || mine.Op.GetTries() != 0 {
		t.Errorf("Save = %v with %d tries; want ErrConflict and the record as it was", err, mine.Op.GetTries())
	}
}

// B75: a deliberate second publication is not swallowed by the duplicate window.
func TestARequeuedOperationIsDeliveredAgain(t *testing.T) {
	store, b := newStore(t)
	op := newOperation(link)
	if err := store.Submit(t.Context(), op); err != nil {
		t.Fatal(err)
	}
	drain(t, b, 1)
	if err := store.Requeue(t.Context(), load(t, store, op)); err != nil {
		t.Fatal(err)
	}
	drain(t, b, 1)
	// The record was restored from an older copy, so its attempt number was used before.
	if err := store.Save(t.Context(), load(t, store, op), func(op *operationv1.Operation) { op.Published = 1 }); err != nil {
		t.Fatal(err)
	}
	if err := store.Requeue(t.Context(), load(t, store, op)); err != nil {
		t.Fatal(err)
	}
	drain(t, b, 1)
}

func drain(t *testing.T, b *bus.Bus, want int) {
	t.Helper()
	consumer, err := b.JS.CreateOrUpdateConsumer(t.Context(), bus.OperationStream, jetstream.ConsumerConfig{
		Durable: bus.OperationConsumer, AckPolicy: jetstream.AckExplicitPolicy,
	})
	if err != nil {
		t.Fatal(err)
	}
	for range want {
		message, err := consumer.Next(jetstream.FetchMaxWait(5 * time.Second))
		if err != nil {
			t.Fatalf("no message: %v", err)
		}
		if err := message.DoubleAck(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := queueLength(t, b); n != 0 {
		t.Fatalf("%d messages left", n)
	}
}

func TestTheQueueTellsWhichOperationsHaveAMessage(t *testing.T) {
	store, b := newStore(t)
	var ops []*operationv1.Operation
	for range 3 {
		op := newOperation(link)
		if err := store.Submit(t.Context(), op); err != nil {
			t.Fatal(err)
		}
		ops = append(ops, op)
	}
	drainOne := func() {
		consumer, err := b.JS.CreateOrUpdateConsumer(t.Context(), bus.OperationStream, jetstream.ConsumerConfig{
			Durable: bus.OperationConsumer, AckPolicy: jetstream.AckExplicitPolicy,
		})
		if err != nil {
			t.Fatal(err)
		}
		message, err := consumer.Next()
		if err != nil {
			t.Fatal(err)
		}
		if err := message.DoubleAck(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	drainOne()
	keys, complete, err := store.Queued(t.Context(), 10)
	if err != nil || !complete || len(keys) != 2 {
		t.Fatalf("Queued = %v, %v, %v; want 2", keys, complete, err)
	}
	gone, _ := operation.Key(link, ops[0].GetId())
	if keys[gone] {
		t.Error("the acknowledged one is still told")
	}
	if _, complete, err := store.Queued(t.Context(), 1); err != nil || complete {
		t.Errorf("a look at one of two says it is complete: %v", err)
	}
}
