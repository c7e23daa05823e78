package record_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/operation/natstest"
	"github.com/comporta-mcp/comporta/pkg/operation/record"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

type bucket = record.Bucket[*operationv1.Operation]

func TestARecordIsCreatedReadChangedAndRemoved(t *testing.T) {
	b := open(t, natstest.Start(t))
	ctx := t.Context()

	revision, err := b.Create(ctx, "link.one", &operationv1.Operation{Id: "one"})
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	if _, err := b.Create(ctx, "link.one", &operationv1.Operation{Id: "other"}); !errors.Is(err, record.ErrTaken) {
		t.Errorf("create of a taken key: %v, want ErrTaken", err)
	}
	next, err := b.Update(ctx, "link.one", &operationv1.Operation{Id: "one", Tries: 1}, revision)
	if err != nil {
		t.Fatalf("update: %v", err)
	}
	if _, err := b.Update(ctx, "link.one", &operationv1.Operation{Id: "one", Tries: 9}, revision); !errors.Is(err, record.ErrConflict) {
		t.Errorf("update of an old revision: %v, want ErrConflict", err)
	}
	if err := b.Delete(ctx, "link.one", revision); !errors.Is(err, record.ErrConflict) {
		t.Errorf("delete of an old revision: %v, want ErrConflict", err)
	}
	got, at, err := b.Get(ctx, "link.one")
	if err != nil || got.GetTries() != 1 || at != next {
		t.Errorf("get = %v at %d, %v; want tries 1 at %d", got, at, err, next)
	}
	if err := b.Delete(ctx, "link.one", next); err != nil {
		t.Errorf("delete: %v", err)
	}
	if _, _, err := b.Get(ctx, "link.one"); !errors.Is(err, record.ErrAbsent) {
		t.Errorf("get after delete: %v, want ErrAbsent", err)
	}
	if _, err := b.Create(ctx, "link.one", &operationv1.Operation{Id: "again"}); err != nil {
		t.Errorf("create of a deleted key: %v", err)
	}
}

func TestOnesOwnWriteIsRecognisedWhenItsAcknowledgementWasLost(t *testing.T) {
	b := open(t, natstest.Start(t))
	ctx := t.Context()
	first := &operationv1.Operation{Id: "one"}
	revision, err := b.Create(ctx, "k", first)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := b.Create(ctx, "k", first); err != nil || again != revision {
		t.Errorf("the same create again = %d, %v; want %d", again, err, revision)
	}
	second := &operationv1.Operation{Id: "one", Tries: 1}
	next, err := b.Update(ctx, "k", second, revision)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := b.Update(ctx, "k", second, revision); err != nil || again != next {
		t.Errorf("the same update again = %d, %v; want %d", again, err, next)
	}
	if err := b.Delete(ctx, "k", next); err != nil {
		t.Fatal(err)
	}
	if err := b.Delete(ctx, "k", next); err != nil {
		t.Errorf("the same delete again: %v", err)
	}
}

func TestARecordThatIsTooBigIsRefusedBeforeItIsSent(t *testing.T) {
	b := open(t, natstest.Start(t))
	huge := &operationv1.Operation{Arguments: make([]byte, record.MaxSize+1)}
	if _, err := b.Create(t.Context(), "k", huge); !errors.Is(err, record.ErrTooBig) {
		t.Errorf("create: %v, want ErrTooBig", err)
	}
	largest := &operationv1.Operation{Arguments: make([]byte, record.MaxSize-8)}
	if _, err := b.Create(t.Context(), "k", largest); err != nil {
		t.Errorf("a record just below the limit: %v", err)
	}
}

// B78: a delete between two creates never looks like an internal error.
func TestCreateAndDeleteFromManySidesGiveOnlyMineOrTaken(t *testing.T) {
	server := natstest.Start(t)
	const sides, rounds = 4, 250
	var owners, won atomic.Int64
	var wg sync.WaitGroup
	for side := range sides {
		b := open(t, server)
		wg.Go(func() {
			for round := range rounds {
				revision, err := b.Create(t.Context(), "lock", &operationv1.Operation{Id: fmt.Sprint(side, "/", round)})
				if errors.Is(err, record.ErrTaken) {
					continue
				}
				if err != nil {
					t.Errorf("create: %v", err)
					return
				}
				if owners.Add(1) != 1 {
					t.Error("two owners at once")
				}
				won.Add(1)
				owners.Add(-1)
				if err := b.Delete(t.Context(), "lock", revision); err != nil {
					t.Errorf("the owner's delete: %v", err)
				}
			}
		})
	}
	wg.Wait()
	if won.Load() == 0 {
		t.Error("nobody ever got the lock")
	}
	if _, err := open(t, server).Create(t.Context(), "lock", &operationv1.Operation{Id: "last"}); err != nil {
		t.Errorf("the lock was lost: %v", err)
	}
}

// B77: away for a moment is waited for; away for longer is told as such.
func TestABucketOutlivesARestartOfNATS(t *testing.T) {
	server := natstest.Start(t)
	b := open(t, server)
	if _, err := b.Create(t.Context(), "before", &operationv1.Operation{Id: "1"}); err != nil {
		t.Fatal(err)
	}
	server.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := b.Create(ctx, "during", &operationv1.Operation{Id: "2"}); !errors.Is(err, record.ErrAway) && !errors.Is(err, record.ErrUnsure) {
		t.Errorf("create while NATS is away: %v, want ErrAway or ErrUnsure", err)
	}
	waiting := make(chan error)
	go func() {
		_, err := b.Create(t.Context(), "meanwhile", &operationv1.Operation{Id: "3"})
		waiting <- err
	}()
	server.Start()
	if err := <-waiting; err != nil {
		t.Errorf("a create that began while NATS restarted: %v", err)
	}
	if _, _, err := b.Get(t.Context(), "before"); err != nil {
		t.Errorf("what was stored before: %v", err)
	}
}

func TestABucketThatWasOpenedBeforeNATSWorksOnceNATSIsThere(t *testing.T) {
	server := natstest.Start(t)
	server.Connect() // makes the buckets
	server.Stop()
	b := record.Open[*operationv1.Operation](server.Dial(), bus.Operations)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, _, err := b.Get(ctx, "k"); !errors.Is(err, record.ErrAway) && !errors.Is(err, record.ErrUnsure) {
		t.Errorf("get without NATS: %v", err)
	}
	server.Start()
	if _, _, err := b.Get(t.Context(), "k"); !errors.Is(err, record.ErrAbsent) {
		t.Errorf("get with NATS: %v, want ErrAbsent", err)
	}
}

func open(t *testing.T, s *natstest.Server) *bucket {
	t.Helper()
	return record.Open[*operationv1.Operation](s.Connect(), bus.Operations)
}
