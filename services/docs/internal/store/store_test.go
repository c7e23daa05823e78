package store_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
	"github.com/comporta-mcp/comporta/services/docs/internal/store"
)

func TestStores(t *testing.T) {
	for name, s := range map[string]store.Store{"a folder": store.Folder{Dir: t.TempDir() + "/new"}, "a bucket": bucket(t)} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			if _, _, err := s.Load(ctx); !errors.Is(err, store.ErrNone) {
				t.Errorf("empty: %v", err)
			}
			if _, err := s.Revision(ctx); !errors.Is(err, store.ErrNone) {
				t.Errorf("empty: %v", err)
			}
			var last string
			for _, want := range [][]byte{[]byte("one"), bytes.Repeat([]byte("two"), 1<<20)} {
				saved, err := s.Save(ctx, want)
				if err != nil || saved == last {
					t.Fatalf("save: %q, %v", saved, err)
				}
				last = saved
				data, loaded, err := s.Load(ctx)
				if err != nil || loaded != saved || !bytes.Equal(data, want) {
					t.Fatalf("load: %d bytes, %q, %v", len(data), loaded, err)
				}
			}
		})
	}
}

func bucket(t *testing.T) store.Store {
	t.Helper()
	server, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Lax: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	conn, err := nats.Connect(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateObjectStore(t.Context(), jetstream.ObjectStoreConfig{Bucket: "library"}); err != nil {
		t.Fatal(err)
	}
	return store.Bucket{Open: func(ctx context.Context) (jetstream.ObjectStore, error) { return js.ObjectStore(ctx, "library") }}
}

func TestWhatAKilledWriterLeftIsRemovedInTime(t *testing.T) {
	f := store.Folder{Dir: t.TempDir()}
	left := map[string]time.Duration{"pages.json.gz.111": 2 * time.Hour, "pages.json.gz.222": time.Minute}
	for name, age := range left {
		file := filepath.Join(f.Dir, name)
		if err := os.WriteFile(file, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Save(t.Context(), []byte("whole")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(f.Dir, "pages.json.gz.111")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old half file: %v", err)
	}
	if _, err := os.Stat(filepath.Join(f.Dir, "pages.json.gz.222")); err != nil {
		t.Errorf("a file that another replica may be writing was removed: %v", err)
	}
}
