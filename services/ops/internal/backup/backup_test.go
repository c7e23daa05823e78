package backup

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
)

// place is a NATS with Comporta's buckets and streams.
func place(t *testing.T) *bus.Bus {
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

func bucket(t *testing.T, b *bus.Bus, name string) jetstream.KeyValue {
	t.Helper()
	kv, err := b.KV(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return kv
}

func put(t *testing.T, b *bus.Bus, name, key, value string) uint64 {
	t.Helper()
	revision, err := bucket(t, b, name).Put(t.Context(), key, []byte(value))
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

func publish(t *testing.T, b *bus.Bus, subject, text string) {
	t.Helper()
	if _, err := b.JS.Publish(t.Context(), subject, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func messages(t *testing.T, b *bus.Bus, stream string) uint64 {
	t.Helper()
	s, err := b.JS.Stream(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return info.State.Msgs
}

func TestABackupComesBackInAnotherNATS(t *testing.T) {
	from, to, folder := place(t), place(t), t.TempDir()
	put(t, from, bus.Links, "link", "first")
	revision := put(t, from, bus.Links, "link", "second")
	put(t, from, bus.Grants, "grant", "kept")
	publish(t, from, bus.AuditSubject+".link", "who did what")
	publish(t, from, bus.OperationSubject, "to be done")
	put(t, from, bus.Quota, "count", "not kept")

	made, err := Make(t.Context(), from.Conn, folder, "1.2.3", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	// What a service that starts early makes is empty, and no reason to stop.
	brought, err := Restore(t.Context(), to.Conn, folder, Options{Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(brought) != len(made.Streams) {
		t.Errorf("%d streams came back of %d", len(brought), len(made.Streams))
	}
	entry, err := bucket(t, to, bus.Links).Get(t.Context(), "link")
	if err != nil || string(entry.Value()) != "second" || entry.Revision() != revision {
		t.Errorf("the link is %v, %v; want its second value at revision %d", entry, err, revision)
	}
	if entry, err := bucket(t, to, bus.Grants).Get(t.Context(), "grant"); err != nil || string(entry.Value()) != "kept" {
		t.Errorf("the grant is %v, %v", entry, err)
	}
	for _, stream := range []string{bus.AuditStream, bus.OperationStream} {
		if n := messages(t, to, stream); n != 1 {
			t.Errorf("%s holds %d messages, want 1", stream, n)
		}
	}
	if _, err := bucket(t, to, bus.Quota).Get(t.Context(), "count"); err == nil {
		t.Error("counts of calls came back")
	}
	if err := to.Ensure(t.Context()); err != nil {
		t.Errorf("the services cannot use what came back: %v", err)
	}
}

func TestWhatIsThereIsNotLostByAccident(t *testing.T) {
	from, to, folder := place(t), place(t), t.TempDir()
	put(t, from, bus.Links, "link", "old")
	put(t, from, bus.Keys, "sealing", "old")
	if _, err := Make(t.Context(), from.Conn, folder, "1", time.Now()); err != nil {
		t.Fatal(err)
	}
	put(t, to, bus.Links, "link", "new")
	if _, err := Restore(t.Context(), to.Conn, folder, Options{Replicas: 1}); err == nil || !strings.Contains(err.Error(), "KV_links holds 1") {
		t.Errorf("a bucket in use was no reason to stop: %v", err)
	}
	if _, err := bucket(t, to, bus.Keys).Get(t.Context(), "sealing"); err == nil {
		t.Error("something was brought back all the same")
	}
	if _, err := Restore(t.Context(), to.Conn, folder, Options{Replicas: 1, Replace: true}); err != nil {
		t.Fatal(err)
	}
	if entry, err := bucket(t, to, bus.Links).Get(t.Context(), "link"); err != nil || string(entry.Value()) != "old" {
		t.Errorf("after --replace the link is %v, %v", entry, err)
	}
}

func TestAnUnfinishedBackupIsNone(t *testing.T) {
	from, folder := place(t), t.TempDir()
	put(t, from, bus.Links, "link", "whole")
	whole, err := Make(t.Context(), from.Conn, folder, "1", time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	later, err := Make(t.Context(), from.Conn, folder, "1", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(later.Folder, manifestFile)); err != nil {
		t.Fatal(err)
	}
	if m, err := open(folder); err != nil || m.Folder != whole.Folder {
		t.Errorf("opened %v, %v; want the whole one, %s", m, err, whole.Folder)
	}
	if _, err := open(later.Folder); err == nil {
		t.Error("the unfinished one was opened")
	}
}

func TestOldBackupsGo(t *testing.T) {
	from, folder := place(t), t.TempDir()
	put(t, from, bus.Links, "link", "x")
	var last *Manifest
	for hours := range 4 {
		var err error
		if last, err = Make(t.Context(), from.Conn, folder, "1", time.Now().Add(time.Duration(hours)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if err := Prune(folder, 2); err != nil {
		t.Fatal(err)
	}
	left, err := wholeOnes(folder)
	if err != nil || len(left) != 2 || left[1] != last.Folder {
		t.Errorf("left are %v, %v; want the last two", left, err)
	}
}
