package bus_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
)

func server(t *testing.T, dir string, port int) *embedded.Server {
	t.Helper()
	s, err := embedded.Start(embedded.Options{Dir: dir, Port: port, Lax: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

func connect(t *testing.T, cfg bus.Config) *bus.Bus {
	t.Helper()
	b, err := bus.Connect(cfg, "test", slog.New(slog.NewTextHandler(io.Discard, nil)), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// eventually polls a condition that another goroutine brings about.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("not within 15 s: %s", what)
}

func TestABucketCanBeHadBeforeNATSIsThere(t *testing.T) {
	dir := t.TempDir()
	probe := server(t, dir, -1)
	port, url := probe.Port(), probe.URL()
	probe.Stop()

	b := connect(t, bus.Config{URL: url})
	kv, err := b.KV(t.Context(), bus.Quota)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Put(within(t, time.Second), "k", nil); err == nil {
		t.Error("a put without NATS succeeded")
	}
	if err := b.Ready(t.Context()); err == nil {
		t.Error("ready without NATS")
	}
	done := make(chan error, 1)
	ctx := within(t, 20*time.Second)
	go func() { done <- b.Ensure(ctx) }()
	server(t, dir, port)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := b.Ready(t.Context()); err != nil {
		t.Errorf("not ready: %v", err)
	}
	if _, err := kv.Put(t.Context(), "k", []byte("v")); err != nil {
		t.Errorf("the same bucket value does not work once NATS is there: %v", err)
	}
}

func TestBucketsInMemoryComeBackAfterARestartOfNATS(t *testing.T) {
	dir := t.TempDir()
	s := server(t, dir, -1)
	b := connect(t, bus.Config{URL: s.URL()})
	if err := b.Ensure(within(t, 10*time.Second)); err != nil {
		t.Fatal(err)
	}
	memory, _ := b.KV(t.Context(), bus.Quota)
	disk, _ := b.KV(t.Context(), bus.Links)
	for _, kv := range []jetstream.KeyValue{memory, disk} {
		if _, err := kv.Put(t.Context(), "k", []byte("v")); err != nil {
			t.Fatal(err)
		}
	}
	port := s.Port()
	s.Stop()
	if _, err := memory.Get(within(t, time.Second), "k"); err == nil || errors.Is(err, jetstream.ErrKeyNotFound) {
		t.Errorf("a get while NATS is away says %v", err)
	}
	server(t, dir, port)
	eventually(t, "the bus is ready again", func() bool { return b.Ready(t.Context()) == nil })
	if _, err := memory.Put(t.Context(), "k", []byte("v")); err != nil {
		t.Errorf("the memory bucket: %v", err)
	}
	if entry, err := disk.Get(t.Context(), "k"); err != nil || string(entry.Value()) != "v" {
		t.Errorf("the disk bucket: %v", err)
	}
}

func TestABucketThatWasDeletedIsMadeAgain(t *testing.T) {
	b := connect(t, bus.Config{URL: server(t, t.TempDir(), -1).URL()})
	if err := b.Ensure(within(t, 10*time.Second)); err != nil {
		t.Fatal(err)
	}
	kv, _ := b.KV(t.Context(), bus.Turns)
	if _, err := kv.Put(t.Context(), "k", nil); err != nil {
		t.Fatal(err)
	}
	if err := b.JS.DeleteKeyValue(t.Context(), bus.Turns); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a put works", func() bool {
		_, err := kv.Put(within(t, time.Second), "k", nil)
		return err == nil
	})
}

func TestErrorsThatCallersDecideByStayFindable(t *testing.T) {
	b := connect(t, bus.Config{URL: server(t, t.TempDir(), -1).URL()})
	if err := b.Ensure(within(t, 10*time.Second)); err != nil {
		t.Fatal(err)
	}
	kv, _ := b.KV(t.Context(), bus.Idempotency)
	if _, err := kv.Get(t.Context(), "none"); !errors.Is(err, jetstream.ErrKeyNotFound) {
		t.Errorf("get: %v", err)
	}
	revision, err := kv.Create(t.Context(), "k", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Create(t.Context(), "k", nil); !errors.Is(err, jetstream.ErrKeyExists) {
		t.Errorf("create: %v", err)
	}
	if _, err := kv.Update(t.Context(), "k", nil, revision+7); !errors.Is(err, jetstream.ErrKeyExists) {
		t.Errorf("update: %v", err)
	}
	if _, err := b.KV(t.Context(), "no such bucket"); !errors.Is(err, jetstream.ErrBucketNotFound) {
		t.Errorf("a bucket that is not in the list: %v", err)
	}
}

func TestEnsureEndsWithItsContext(t *testing.T) {
	b := connect(t, bus.Config{URL: "nats://127.0.0.1:1"})
	if err := b.Ensure(within(t, 300*time.Millisecond)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestErrorsNeverTellTheURLsPassword(t *testing.T) {
	_, err := bus.Connect(bus.Config{URL: "nats://me:CANARY123@host:bad,nats://CANARY123@b:1"}, "x", slog.Default(), nil)
	if err == nil {
		t.Fatal("no error")
	}
	if strings.Contains(err.Error(), "CANARY123") {
		t.Errorf("it does: %v", err)
	}
}

func TestConfigListsItsFaults(t *testing.T) {
	err := errors.Join(
		bus.Config{Replicas: 2, AuditRetention: -1}.Validate(),
		bus.TLSFiles{Cert: "only.pem"}.Validate(),
	)
	for _, want := range []string{"url is missing", "replicas must be", "audit-retention", "cert and key"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("lacks %q: %v", want, err)
		}
	}
	if err := (bus.Config{URL: "nats://a", Replicas: 3}).Validate(); err != nil {
		t.Errorf("a good one: %v", err)
	}
}

func TestThreeCopiesSurviveTheLossOfAServer(t *testing.T) {
	if testing.Short() {
		t.Skip("a cluster takes seconds to start")
	}
	c, err := embedded.StartCluster(t.TempDir(), 3, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	b := connect(t, bus.Config{URL: c.URL(), Replicas: 3})
	if err := b.Ensure(within(t, 60*time.Second)); err != nil {
		t.Fatal(err)
	}
	memory, _ := b.KV(t.Context(), bus.Quota)
	if _, err := memory.Put(t.Context(), "k", []byte("v")); err != nil {
		t.Fatal(err)
	}
	c.StopNode(0)
	eventually(t, "the value is read from the others", func() bool {
		entry, err := memory.Get(within(t, time.Second), "k")
		return err == nil && string(entry.Value()) == "v"
	})
	eventually(t, "writing works", func() bool {
		_, err := memory.Put(within(t, time.Second), "k", []byte("w"))
		return err == nil
	})
	if err := c.StartNode(0); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the bus is ready", func() bool { return b.Ready(within(t, time.Second)) == nil })
}
