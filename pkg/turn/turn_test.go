package turn

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cluster is a NATS server that a test may stop.
type cluster struct {
	server *embedded.Server
}

func startNATS(t testing.TB) *cluster {
	t.Helper()
	server, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Port: -1, Lax: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return &cluster{server}
}

// bucket is the bucket "turns" over a connection of its own, as a replica has it.
func (c *cluster) bucket(t testing.TB) jetstream.KeyValue {
	t.Helper()
	b, err := bus.Connect(bus.Config{URL: c.server.URL()}, t.Name(), slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if err := b.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	kv, err := b.KV(t.Context(), bus.Turns)
	if err != nil {
		t.Fatal(err)
	}
	return kv
}

// overlap counts how many are in their turn at once.
type overlap struct{ now, most, total atomic.Int64 }

func (o *overlap) enter() func() {
	n := o.now.Add(1)
	for most := o.most.Load(); n > most && !o.most.CompareAndSwap(most, n); most = o.most.Load() {
	}
	o.total.Add(1)
	return func() { o.now.Add(-1) }
}

func TestTurnsOfTwoReplicasNeverOverlap(t *testing.T) {
	nats := startNATS(t)
	var inTurn overlap
	var wg sync.WaitGroup
	for range 2 {
		replica := New(nats.bucket(t), Options{})
		for range 25 {
			wg.Go(func() {
				release, err := replica.Take(t.Context(), 7)
				if err != nil {
					t.Error(err)
					return
				}
				leave := inTurn.enter()
				time.Sleep(time.Millisecond) // long enough to be caught overlapping
				leave()
				release()
			})
		}
	}
	wg.Wait()
	if inTurn.most.Load() != 1 || inTurn.total.Load() != 50 {
		t.Errorf("%d at once, %d in all", inTurn.most.Load(), inTurn.total.Load())
	}
}

func TestCompaniesDoNotWaitForEachOther(t *testing.T) {
	turns := New(startNATS(t).bucket(t), Options{})
	first, err := turns.Take(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	second, err := turns.Take(t.Context(), 2) // would block for ever
	if err != nil {
		t.Fatal(err)
	}
	second()
	first()
}

func TestTurnsAreServedInTheOrderOfTheirComing(t *testing.T) {
	turns := New(nil, Options{})
	release, err := turns.Take(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	const many = 20
	order := make(chan int, many)
	var wg sync.WaitGroup
	for i := range many {
		wg.Go(func() {
			next, err := turns.Take(t.Context(), 1)
			if err != nil {
				t.Error(err)
				return
			}
			order <- i
			next()
		})
		waitFor(t, func() bool { return inLine(turns, 1) == i+1 })
	}
	release()
	wg.Wait()
	for want := range many {
		if got := <-order; got != want {
			t.Fatalf("turn %d went to %d", want, got)
		}
	}
}

func TestWhoStopsWaitingLeavesTheLine(t *testing.T) {
	turns := New(startNATS(t).bucket(t), Options{})
	release, err := turns.Take(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	gaveUp := make(chan error)
	go func() {
		_, err := turns.Take(ctx, 1)
		gaveUp <- err
	}()
	waitFor(t, func() bool { return inLine(turns, 1) == 1 })
	cancel()
	if err := <-gaveUp; err == nil {
		t.Error("a cancelled wait got a turn")
	}
	release()
	release() // does nothing
	if next, err := turns.Take(t.Context(), 1); err != nil {
		t.Error(err)
	} else {
		next()
	}
}

func TestWhoStopsWaitingForAnotherReplicaPassesItsPlaceOn(t *testing.T) {
	nats := startNATS(t)
	here, there := New(nats.bucket(t), Options{}), New(nats.bucket(t), Options{})
	release, err := there.Take(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := here.Take(ctx, 1); err == nil {
		t.Fatal("two replicas have the turn")
	}
	release()
	next, err := here.Take(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	next()
}

func TestTheTurnOfADeadReplicaIsTakenOver(t *testing.T) {
	nats := startNATS(t)
	kv := nats.bucket(t)
	if _, err := kv.Create(t.Context(), keyOf(1), []byte("somebody who died")); err != nil {
		t.Fatal(err)
	}
	release, err := New(kv, Options{Lease: 200 * time.Millisecond}).Take(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	release()
	if _, err := kv.Get(t.Context(), keyOf(1)); err == nil {
		t.Error("the turn was not given back")
	}
}

func TestALongTurnIsNotTakenOver(t *testing.T) {
	nats := startNATS(t)
	const life = 900 * time.Millisecond
	here, there := New(nats.bucket(t), Options{Lease: life}), New(nats.bucket(t), Options{Lease: life})
	release, err := here.Take(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*life)
	defer cancel()
	if _, err := there.Take(ctx, 1); err == nil {
		t.Error("a turn in use was taken over")
	}
	release()
}

func TestWithoutNATSTurnsHoldWithinTheProcess(t *testing.T) {
	nats := startNATS(t)
	turns := New(nats.bucket(t), Options{})
	nats.server.Stop()
	var inTurn overlap
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			release, err := turns.Take(t.Context(), 1)
			if err != nil {
				t.Error(err)
				return
			}
			leave := inTurn.enter()
			time.Sleep(time.Millisecond)
			leave()
			release()
		})
	}
	wg.Wait()
	if inTurn.most.Load() != 1 || inTurn.total.Load() != 5 {
		t.Errorf("%d at once, %d in all", inTurn.most.Load(), inTurn.total.Load())
	}
}

// The key is created and deleted from many sides at once: every outcome must be
// "mine" or "taken", and no lease may be lost.
func TestALeaseIsAlwaysMineOrTaken(t *testing.T) {
	nats := startNATS(t)
	var inTurn overlap
	var wg sync.WaitGroup
	for i := range 4 {
		kv := nats.bucket(t)
		wg.Go(func() {
			for n := range 250 {
				l := &lease{kv: kv, key: keyOf(1), token: fmt.Sprint(i, n), life: time.Minute, log: slog.New(slog.DiscardHandler)}
				err := l.create(t.Context())
				if err == errTaken {
					continue
				}
				if err != nil {
					t.Errorf("neither mine nor taken: %v", err)
					return
				}
				leave := inTurn.enter()
				leave()
				l.keep()
				l.giveBack()
			}
		})
	}
	wg.Wait()
	if inTurn.most.Load() > 1 {
		t.Errorf("%d had the lease at once", inTurn.most.Load())
	}
	t.Logf("%d leases", inTurn.total.Load())
}

func TestABusyReplicaLetsOthersHaveTurns(t *testing.T) {
	nats := startNATS(t)
	busy, other := New(nats.bucket(t), Options{}), New(nats.bucket(t), Options{})
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 8 { // always somebody in line
		wg.Go(func() {
			for {
				release, err := busy.Take(ctx, 1)
				if err != nil {
					return
				}
				release()
			}
		})
	}
	waitFor(t, func() bool { return inLine(busy, 1) > 0 })
	for range 3 {
		release, err := other.Take(t.Context(), 1)
		if err != nil {
			t.Error(err)
			break
		}
		release()
	}
	stop()
	wg.Wait()
}

func inLine(turns *Turns, companyID int64) int {
	turns.lines.mu.Lock()
	defer turns.lines.mu.Unlock()
	if l := turns.lines.of[companyID]; l != nil {
		return len(l.waiting)
	}
	return 0
}

func waitFor(t testing.TB, holds func() bool) {
	t.Helper()
	for !holds() {
		if t.Context().Err() != nil {
			t.Fatal("it never came true")
		}
		time.Sleep(time.Millisecond)
	}
}
