package quota

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock stands still until it is moved.
type clock struct{ at atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.at.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixNano())
	return c
}

func (c *clock) now() time.Time       { return time.Unix(0, c.at.Load()) }
func (c *clock) move(d time.Duration) { c.at.Add(int64(d)) }

func serve(t testing.TB, dir string, port int) *embedded.Server {
	t.Helper()
	server, err := embedded.Start(embedded.Options{Dir: dir, Port: port, Lax: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server
}

// bucket is a connection of its own, as each replica has one.
func bucket(t testing.TB, server *embedded.Server) (jetstream.KeyValue, *bus.Bus) {
	t.Helper()
	b, err := bus.Connect(bus.Config{URL: server.URL()}, "test", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := b.Ensure(ctx); err != nil {
		t.Fatal(err)
	}
	kv, err := b.KV(ctx, bus.Quota)
	if err != nil {
		t.Fatal(err)
	}
	return kv, b
}

func replicas(t testing.TB, n int, o Options) []*Limiter {
	t.Helper()
	if o.Patience == 0 {
		o.Patience = 5 * time.Second // a loaded test machine is no outage
	}
	server := serve(t, t.TempDir(), -1)
	out := make([]*Limiter, n)
	for i := range out {
		kv, _ := bucket(t, server)
		out[i] = New(kv, o)
	}
	return out
}

var ten = Limit{Name: "calls", Count: 10, Window: time.Second, Per: PerLink}

func take(t *testing.T, l *Limiter, lim Limit) time.Duration {
	t.Helper()
	wait, err := l.Take(t.Context(), "link", lim)
	if err != nil {
		t.Fatal(err)
	}
	return wait
}

func TestTenOfTwelveAreTakenWhicheverReplicaIsAsked(t *testing.T) {
	c := newClock()
	ls := replicas(t, 2, Options{Now: c.now})
	taken := 0
	for i := range 12 {
		wait := take(t, ls[i%2], ten)
		if wait == 0 {
			taken++
		} else if wait > time.Second {
			t.Errorf("call %d has to wait %s", i, wait)
		}
		c.move(50 * time.Millisecond)
	}
	if taken != 10 {
		t.Errorf("%d were taken", taken)
	}
}

func TestOfManyAtOnceExactlyTenAreTaken(t *testing.T) {
	for _, tt := range []struct{ replicas, calls int }{{1, 12}, {2, 12}, {5, 12}, {5, 200}} {
		t.Run(fmt.Sprintf("%d calls over %d replicas", tt.calls, tt.replicas), func(t *testing.T) {
			c := newClock()
			registry := prometheus.NewRegistry()
			ls := replicas(t, tt.replicas, Options{Now: c.now})
			ls[0].metrics = newMetrics(registry)
			var wg sync.WaitGroup
			var taken, refused atomic.Int32
			start := make(chan struct{})
			for i := range tt.calls {
				wg.Go(func() {
					<-start
					wait, err := ls[i%len(ls)].Take(t.Context(), "link", ten)
					switch {
					case err != nil:
						t.Error(err)
					case wait == 0:
						taken.Add(1)
					default:
						refused.Add(1)
					}
				})
			}
			close(start)
			wg.Wait()
			if taken.Load() != 10 || refused.Load() != int32(tt.calls-10) {
				t.Errorf("%d taken, %d refused", taken.Load(), refused.Load())
			}
			t.Logf("the first replica lost %v compare-and-sets", testutil.ToFloat64(ls[0].metrics.contention))
		})
	}
}

func TestTheWindowSlides(t *testing.T) {
	c := newClock()
	l := replicas(t, 1, Options{Now: c.now})[0]
	began := c.now()
	var taken []time.Duration
	for range 5000 { // five seconds in steps of a millisecond
		if take(t, l, ten) == 0 {
			taken = append(taken, c.now().Sub(began))
		}
		c.move(time.Millisecond)
	}
	if len(taken) != 50 {
		t.Errorf("%d taken in five seconds", len(taken))
	}
	for i := 10; i < len(taken); i++ {
		if gap := taken[i] - taken[i-10]; gap < time.Second {
			t.Errorf("eleven calls within %s", gap)
		}
	}
}

func TestARefusedCallSpendsNothingAndIsToldWhenToComeBack(t *testing.T) {
	c := newClock()
	l := replicas(t, 1, Options{Now: c.now})[0]
	for range 10 {
		take(t, l, ten)
		c.move(10 * time.Millisecond)
	}
	wait := take(t, l, ten)
	for range 100 {
		take(t, l, ten)
	}
	if wait <= 800*time.Millisecond || wait > 900*time.Millisecond {
		t.Errorf("wait is %s", wait)
	}
	c.move(wait)
	if again := take(t, l, ten); again != 0 {
		t.Errorf("after the wait another %s", again)
	}
}

func TestAFloodDoesNotReachTheStore(t *testing.T) {
	c := newClock()
	server := serve(t, t.TempDir(), -1)
	kv, _ := bucket(t, server)
	counted := &countingKV{KeyValue: kv}
	l := New(counted, Options{Now: c.now, Patience: 5 * time.Second})
	for range 1000 {
		take(t, l, ten)
	}
	if n := counted.steps.Load(); n > 12 {
		t.Errorf("%d steps in the store for 1000 calls, 10 of them taken", n)
	}
}

// countingKV counts what reaches the store, and can be made to hang.
type countingKV struct {
	jetstream.KeyValue
	steps atomic.Int32
	hang  atomic.Bool
}

func (k *countingKV) step(ctx context.Context) error {
	k.steps.Add(1)
	if k.hang.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

func (k *countingKV) Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	if err := k.step(ctx); err != nil {
		return nil, err
	}
	return k.KeyValue.Get(ctx, key)
}

func (k *countingKV) Create(ctx context.Context, key string, v []byte, o ...jetstream.KVCreateOpt) (uint64, error) {
	if err := k.step(ctx); err != nil {
		return 0, err
	}
	return k.KeyValue.Create(ctx, key, v, o...)
}

func (k *countingKV) Update(ctx context.Context, key string, v []byte, r uint64) (uint64, error) {
	if err := k.step(ctx); err != nil {
		return 0, err
	}
	return k.KeyValue.Update(ctx, key, v, r)
}

func TestHostsWhoseClocksDifferCountTogether(t *testing.T) {
	for _, skew := range []time.Duration{3 * time.Second, time.Hour} {
		t.Run(fmt.Sprint("the second host is behind by ", skew), func(t *testing.T) {
			real := newClock()
			server := serve(t, t.TempDir(), -1)
			kv1, _ := bucket(t, server)
			kv2, _ := bucket(t, server)
			ahead := New(kv1, Options{Now: func() time.Time { return real.now().Add(skew) }, Patience: 5 * time.Second})
			behind := New(kv2, Options{Now: real.now, Patience: 5 * time.Second})
			var taken []time.Duration
			began := real.now()
			for i := range 4000 {
				l := ahead
				if i%3 == 0 || i > 2000 { // later the one that is behind is alone
					l = behind
				}
				if take(t, l, ten) == 0 {
					taken = append(taken, real.now().Sub(began))
				}
				real.move(time.Millisecond)
			}
			for i := 10; i < len(taken); i++ {
				gap := taken[i] - taken[i-10]
				// At 0 the host that is behind is the first to write: the one case in
				// which its call looks older than it is.
				if began := taken[i-10]; began > 0 && gap < time.Second-time.Millisecond {
					t.Errorf("eleven calls within %s from %s on", gap, began)
				}
			}
			if len(taken) < 35 {
				t.Errorf("only %d calls in four seconds: the host that is behind is starved", len(taken))
			}
		})
	}
}

func TestWithoutNATSEachCountsAloneAndJoinsAgain(t *testing.T) {
	out := &strings.Builder{}
	c := newClock()
	dir := t.TempDir()
	server := serve(t, dir, -1)
	kv, b := bucket(t, server)
	l := New(kv, Options{Now: c.now, Log: slog.New(slog.NewTextHandler(out, nil)), Patience: 5 * time.Second})
	for range 4 {
		take(t, l, ten)
	}
	port := server.Port()
	server.Stop()
	alone := 0
	for range 20 {
		if take(t, l, ten) == 0 {
			alone++
		}
	}
	if alone != 6 {
		t.Errorf("alone it took %d, though 4 of 10 were known to be spent", alone)
	}
	server = serve(t, dir, port)
	for deadline := time.Now().Add(20 * time.Second); b.Ready(t.Context()) != nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the bus did not come back")
		}
	}
	c.move(aloneFor + time.Millisecond) // also a new window
	if wait := take(t, l, ten); wait != 0 {
		t.Errorf("once NATS is back: wait %s", wait)
	}
	other, _ := bucket(t, server)
	second := New(other, Options{Now: c.now, Patience: 5 * time.Second})
	taken := 0
	for range 12 {
		if take(t, second, ten) == 0 {
			taken++
		}
	}
	if taken != 9 {
		t.Errorf("another replica took %d more; 1 was spent", taken)
	}
	if n := strings.Count(out.String(), "counted by this process alone"); n != 1 {
		t.Errorf("the outage is logged %d times:\n%s", n, out)
	}
	if n := strings.Count(out.String(), "together again"); n != 1 {
		t.Errorf("the recovery is logged %d times", n)
	}
}

func TestCallsCountedAloneAreStoredOnceNATSIsBack(t *testing.T) {
	c := newClock()
	server := serve(t, t.TempDir(), -1)
	kv1, _ := bucket(t, server)
	slow := &countingKV{KeyValue: kv1}
	l := New(slow, Options{Now: c.now, Patience: 20 * time.Millisecond})
	minute := Limit{Name: "dns", Count: 10, Window: time.Minute, Per: PerCompany}
	slow.hang.Store(true)
	for range 7 {
		if wait := take(t, l, minute); wait != 0 {
			t.Fatalf("alone: wait %s", wait)
		}
	}
	if n := slow.steps.Load(); n != 1 {
		t.Errorf("the slow store was asked %d times", n)
	}
	slow.hang.Store(false)
	l.patience = 5 * time.Second
	c.move(2 * aloneFor)
	take(t, l, minute)
	kv2, _ := bucket(t, server)
	second := New(kv2, Options{Now: c.now, Patience: 5 * time.Second})
	taken := 0
	for range 12 {
		if take(t, second, minute) == 0 {
			taken++
		}
	}
	if taken != 2 {
		t.Errorf("another replica took %d; 8 of 10 were spent", taken)
	}
}

func TestForgottenSubjectsAreLearntAgain(t *testing.T) {
	c := newClock()
	l := replicas(t, 1, Options{Now: c.now, Subjects: 2})[0]
	for range 10 {
		take(t, l, ten)
	}
	for i := range 5 {
		if _, err := l.Take(t.Context(), fmt.Sprint("other", i), ten); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(l.subjects.byKey); n != 2 {
		t.Errorf("%d subjects are remembered", n)
	}
	if take(t, l, ten) == 0 {
		t.Error("an eleventh call was taken")
	}
}

func TestSubjectsWithOddCharacters(t *testing.T) {
	l := replicas(t, 1, Options{})[0]
	one := Limit{Name: "certificates", Count: 1, Window: time.Hour, Per: PerArg, Arg: "name"}
	seen := map[string]string{}
	for _, subject := range []string{"", "a.b", "*.example.com", "42/shop >", "ação", strings.Repeat("x", 5000), "a b", "a\x00b", "=x", "..", ">"} {
		wait, err := l.Take(t.Context(), subject, one)
		if err != nil || wait != 0 {
			t.Errorf("%q: %s %v", subject, wait, err)
		}
		if wait, _ := l.Take(t.Context(), subject, one); wait < 59*time.Minute {
			t.Errorf("%q again: %s", subject, wait)
		}
		key := storeKey("certificates", subject)
		if other, taken := seen[key]; taken {
			t.Errorf("%q and %q share a key", subject, other)
		}
		seen[key] = subject
	}
	if l.metrics != nil && testutil.ToFloat64(l.metrics.alone) != 0 {
		t.Error("the store refused a key")
	}
}

func TestADamagedRecordIsBegunAnew(t *testing.T) {
	server := serve(t, t.TempDir(), -1)
	kv, _ := bucket(t, server)
	if _, err := kv.Put(t.Context(), storeKey(ten.Name, "link"), []byte("junk")); err != nil {
		t.Fatal(err)
	}
	l := New(kv, Options{Patience: 5 * time.Second})
	if wait := take(t, l, ten); wait != 0 {
		t.Errorf("wait %s", wait)
	}
}

func TestACancelledCallTakesNothing(t *testing.T) {
	l := replicas(t, 1, Options{})[0]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Take(ctx, "link", ten); err == nil {
		t.Error("no error")
	}
	for i := range 10 {
		if wait := take(t, l, ten); wait != 0 {
			t.Errorf("call %d waits %s", i, wait)
		}
	}
}

func FuzzWindow(f *testing.F) {
	f.Add(window{1, 2, 3}.encode())
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := decodeWindow(data)
		if err != nil {
			return
		}
		again, err := decodeWindow(w.encode())
		if err != nil || len(again) != len(w) {
			t.Errorf("%v becomes %v, %v", w, again, err)
		}
	})
}
