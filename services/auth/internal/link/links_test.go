package link

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func connect(t *testing.T) *bus.Bus {
	t.Helper()
	server, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Port: -1, Lax: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	b, err := bus.Connect(bus.Config{URL: server.URL()}, "test", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if err := b.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

func links(t *testing.T, b *bus.Bus, replica string, now func() time.Time) *Links {
	t.Helper()
	kv, err := b.KV(t.Context(), bus.Links)
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{
		Conn: b.Conn, JS: b.JS, KV: kv, Replica: replica, Cached: 100,
		Log: slog.New(slog.DiscardHandler), Now: now, Metrics: prometheus.NewRegistry(),
	})
}

// run runs the links until the test ends or stop is called, and waits for a watch that is in time.
func run(t *testing.T, l *Links) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); l.Run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	punctual(t, l)
	return stop
}

func punctual(t *testing.T, l *Links) {
	t.Helper()
	until(t, "the watch is in time", func() bool { return l.Late() <= MaxLate })
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for !is() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func stateOf(t *testing.T, l *Links, id string) State {
	t.Helper()
	record, err := l.Get(t.Context(), id)
	must(t, err)
	return record.State
}

func TestReplicasThatMeetATokenAtOnceMakeOneLink(t *testing.T) {
	b := connect(t)
	var replicas []*Links
	for i := range 4 {
		l := links(t, b, fmt.Sprint("r", i), time.Now)
		run(t, l)
		replicas = append(replicas, l)
	}
	var calls sync.WaitGroup
	for i := range 40 {
		calls.Go(func() {
			record, err := replicas[i%4].Ensure(context.Background(), Record{ID: "pt_1", PersonID: 7, ClientName: PersonalToken})
			if err != nil || record.PersonID != 7 || record.State != Active || record.Version != 1 {
				t.Errorf("got %+v, %v", record, err)
			}
		})
	}
	calls.Wait()
	v, err := replicas[0].store.read(t.Context(), "pt_1")
	must(t, err)
	if v.record.ClientName != PersonalToken || v.record.CreatedAt.IsZero() {
		t.Errorf("stored: %+v", v.record)
	}
}

// TestALinkMadeAndRemovedAtOnceIsNoInternalError is the bug bank's B78.
func TestALinkMadeAndRemovedAtOnceIsNoInternalError(t *testing.T) {
	b := connect(t)
	l := links(t, b, "r", time.Now)
	stop := make(chan struct{})
	var removing sync.WaitGroup
	removing.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = l.store.kv.Delete(context.Background(), "pt_1")
			}
		}
	})
	var making sync.WaitGroup
	for range 2 {
		making.Go(func() {
			for range 200 {
				if _, err := l.store.create(context.Background(), Record{ID: "pt_1"}); err != nil && !errors.Is(err, errConflict) {
					t.Errorf("neither mine nor taken: %v", err)
				}
			}
		})
	}
	making.Wait()
	close(stop)
	removing.Wait()
	if _, err := l.Ensure(t.Context(), Record{ID: "pt_1"}); err != nil {
		t.Error(err)
	}
}

func TestAnIDThatNoLinkCanHaveIsNone(t *testing.T) {
	l := links(t, connect(t), "r", time.Now)
	run(t, l)
	for _, id := range []string{"", "*", ">", "pt_*", "a.b", "a b", "../pt_1", strings.Repeat("x", 65)} {
		if _, err := l.Get(t.Context(), id); !errors.Is(err, ErrNone) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestARemovedLinkIsNone(t *testing.T) {
	b := connect(t)
	l := links(t, b, "r", time.Now)
	run(t, l)
	if _, err := l.Get(t.Context(), "pt_1"); !errors.Is(err, ErrNone) {
		t.Errorf("before it was made: %v", err)
	}
	_, err := l.Ensure(t.Context(), Record{ID: "pt_1"})
	must(t, err)
	must(t, l.store.kv.Delete(t.Context(), "pt_1"))
	until(t, "it is gone", func() bool { _, err := l.Get(t.Context(), "pt_1"); return errors.Is(err, ErrNone) })
	if err := l.SetState(t.Context(), "pt_1", Paused); !errors.Is(err, ErrNone) {
		t.Errorf("paused all the same: %v", err)
	}
}

func TestWithoutAWatchEachLookReadsTheRecord(t *testing.T) {
	b := connect(t)
	blind, other := links(t, b, "blind", time.Now), links(t, b, "other", time.Now)
	_, err := blind.Ensure(t.Context(), Record{ID: "pt_1"})
	must(t, err)
	for _, state := range []State{Paused, Active, Revoked} {
		must(t, other.SetState(t.Context(), "pt_1", state))
		if got := stateOf(t, blind, "pt_1"); got != state {
			t.Errorf("it is %s, want %s at once", got, state)
		}
	}
	if blind.Late() != forever {
		t.Error("a watch that there is not is in time")
	}
}

func TestAWatchThatIsLostIsNoticedAndRenewed(t *testing.T) {
	b := connect(t)
	l, other := links(t, b, "r", time.Now), links(t, b, "other", time.Now)
	run(t, l)
	_, err := l.Ensure(t.Context(), Record{ID: "pt_1"})
	must(t, err)
	stateOf(t, l, "pt_1")
	stream, err := b.JS.Stream(t.Context(), "KV_"+bus.Links)
	must(t, err)
	names := stream.ConsumerNames(t.Context())
	var lost int
	for name := range names.Name() {
		must(t, stream.DeleteConsumer(t.Context(), name))
		lost++
	}
	if lost != 1 {
		t.Fatalf("%d watches were lost, want 1", lost)
	}
	must(t, other.SetState(t.Context(), "pt_1", Revoked))
	deadline := time.Now().Add(MaxLate)
	for stateOf(t, l, "pt_1") != Revoked {
		if time.Now().After(deadline) {
			t.Fatal("the revocation is not seen in time")
		}
		time.Sleep(10 * time.Millisecond)
	}
	until(t, "the watch was late", func() bool { return l.Late() > MaxLate })
	punctual(t, l)
	_, err = l.Ensure(t.Context(), Record{ID: "pt_2"})
	must(t, err)
	stateOf(t, l, "pt_2")
	must(t, other.SetState(t.Context(), "pt_2", Paused))
	until(t, "the new watch brings changes", func() bool { return stateOf(t, l, "pt_2") == Paused })
}

func TestTheLastUseIsWrittenOnceAMinuteAndUndoesNothing(t *testing.T) {
	b := connect(t)
	var ahead atomic.Int64
	clock := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	l, other := links(t, b, "r", clock), links(t, b, "other", clock)
	run(t, l)
	_, err := l.Ensure(t.Context(), Record{ID: "pt_1", LastAddress: "192.0.2.1"})
	must(t, err)
	stored := func() versioned {
		v, err := l.store.read(t.Context(), "pt_1")
		must(t, err)
		return v
	}
	call := func(address string) {
		record, err := l.Get(t.Context(), "pt_1")
		must(t, err)
		l.Used(record, Record{PersonID: 7, PersonName: "Ana", LastAddress: address})
	}
	first := stored()
	call("192.0.2.2")
	flush(t, l)
	if v := stored(); v.revision != first.revision {
		t.Error("a use was written within the first minute")
	}

	ahead.Store(int64(2 * time.Minute))
	punctual(t, l) // the clock's jump made it late
	for range 50 {
		call("192.0.2.3")
	}
	flush(t, l)
	second := stored()
	if second.record.LastAddress != "192.0.2.3" || second.record.PersonName != "Ana" || second.record.State != Active || second.record.Version != 1 {
		t.Errorf("stored: %+v", second.record)
	}
	for range 50 {
		call("192.0.2.4")
	}
	flush(t, l)
	if v := stored(); v.revision != second.revision {
		t.Error("a use was written twice in a minute")
	}

	// A use that was noted before a revocation is written after it.
	ahead.Store(int64(4 * time.Minute))
	held, _ := l.cache.held("pt_1")
	must(t, other.SetState(t.Context(), "pt_1", Revoked))
	_, err = l.store.update(t.Context(), *held.record, held.revision)
	if !errors.Is(err, errConflict) {
		t.Errorf("writing over a revocation: %v", err)
	}
	must(t, l.writeUse(t.Context(), use{id: "pt_1", seen: *held.record, at: clock()}))
	if v := stored(); v.record.State != Revoked {
		t.Error("the use undid the revocation")
	}
}

// flush waits until the uses noted before were dealt with: they are taken one
// after the other, so that one that is written is the sign.
func flush(t *testing.T, l *Links) {
	t.Helper()
	_, err := l.Ensure(t.Context(), Record{ID: "pt_sign"})
	must(t, err)
	until(t, "the sign is held", func() bool {
		_, err := l.Get(t.Context(), "pt_sign")
		must(t, err)
		_, held := l.cache.held("pt_sign")
		return held
	})
	before, _ := l.cache.held("pt_sign")
	l.uses <- use{id: "pt_sign", at: before.record.LastUseAt.Add(useEvery)}
	until(t, "the sign is written", func() bool { now, _ := l.cache.held("pt_sign"); return now.revision > before.revision })
}

func TestHeartbeatsAreCleanedUp(t *testing.T) {
	b := connect(t)
	var ahead atomic.Int64
	clock := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	killed := links(t, b, "killed", clock)
	_, err := killed.store.kv.Put(t.Context(), killed.beatKey(), []byte("x"))
	must(t, err)
	l := links(t, b, "r", clock)
	stop := run(t, l)
	must(t, l.sweepOnce(t.Context()))
	if keys := beatKeys(t, l); len(keys) != 2 {
		t.Errorf("there are %q, want both: neither is old", keys)
	}
	ahead.Store(int64(2 * deadBeat))
	must(t, killed.sweepOnce(t.Context()))
	until(t, "the dead one is gone and the living one is there", func() bool {
		keys := beatKeys(t, l)
		return len(keys) == 1 && keys[0] == "beat.r"
	})
	stop()
	if keys := beatKeys(t, l); len(keys) != 0 {
		t.Errorf("after an orderly stop there are %q", keys)
	}
}

func beatKeys(t *testing.T, l *Links) []string {
	t.Helper()
	lister, err := l.store.kv.ListKeysFiltered(t.Context(), beatPrefix+">")
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil
	}
	must(t, err)
	var keys []string
	for key := range lister.Keys() {
		keys = append(keys, key)
	}
	return keys
}

func TestARecordThatCannotBeReadIsNobody(t *testing.T) {
	b := connect(t)
	l := links(t, b, "r", time.Now)
	run(t, l)
	tests := map[string]string{
		"another form":   `{"form":2,"id":"pt_1","state":"active"}`,
		"another link":   `{"form":1,"id":"pt_2","state":"active"}`,
		"no JSON at all": `active`,
	}
	for name, data := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := l.store.kv.Put(t.Context(), "pt_1", []byte(data))
			must(t, err)
			record, err := l.Ensure(t.Context(), Record{ID: "pt_1"})
			if err == nil || errors.Is(err, ErrNone) {
				t.Errorf("it became %+v, %v", record, err)
			}
		})
	}
}

func TestTheImplicitLinksNameIsTheContracts(t *testing.T) {
	sum := [32]byte{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xff}
	if got := ImplicitID(sum); got != "pt_0123456789abcdef" {
		t.Errorf("it is %s", got)
	}
	if strings.Contains(ImplicitID(sum), ".") {
		t.Error("a link's id could be a heartbeat's key")
	}
}
