package library_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/comporta-mcp/comporta/services/docs/internal/corpus"
	"github.com/comporta-mcp/comporta/services/docs/internal/lexicon"
	"github.com/comporta-mcp/comporta/services/docs/internal/library"
	"github.com/comporta-mcp/comporta/services/docs/internal/store"
)

// Replicas that share a folder write and read at the same time: whoever reads
// finds one whole blob, never a half one.
func TestReplicasThatShareAFolder(t *testing.T) {
	dir, kept := t.TempDir(), store.Folder{Dir: t.TempDir()}
	page(t, dir, "tides.md", "# Tides\nThe moon pulls.")
	var wg sync.WaitGroup
	for range 3 {
		replica, _ := open(t, dir, kept)
		wg.Go(func() {
			for range 15 {
				if err := replica.Refresh(t.Context()); err != nil {
					t.Error("refresh:", err)
				}
				if err := replica.Take(t.Context()); err != nil {
					t.Error("take:", err)
				}
				if got := find(replica, "moon"); got != "tides.md" {
					t.Errorf("found %q", got)
				}
			}
		})
	}
	wg.Wait()
	left, err := filepath.Glob(filepath.Join(kept.Dir, "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("the folder has %v (%v), want the one blob", left, err)
	}
}

// writeForever names the folder that a second process of this test writes to.
const writeForever = "LIBRARY_TEST_WRITE_FOREVER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writeForever); dir != "" {
		for i := byte(0); ; i++ {
			// A megabyte of one letter: what is torn shows.
			if _, err := (store.Folder{Dir: dir}).Save(context.Background(), bytes.Repeat([]byte{'a' + i%26}, 1<<20)); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
	os.Exit(m.Run())
}

// A writer that is killed leaves the old blob or the new one, and the next writer
// is not in its way.
func TestAWriterThatIsKilled(t *testing.T) {
	kept := store.Folder{Dir: t.TempDir()}
	for round := range 5 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), writeForever+"="+kept.Dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		first := ""
		for { // until it has written at least twice
			now, err := kept.Revision(t.Context())
			if err == nil && first == "" {
				first = now
			}
			if err == nil && now != first {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed, and says so
		data, _, err := kept.Load(t.Context())
		if err != nil || len(data) != 1<<20 || len(bytes.Trim(data, string(data[:1]))) != 0 {
			t.Fatalf("round %d: %d bytes of %.3q…, %v", round, len(data), data, err)
		}
	}
	if _, err := kept.Save(t.Context(), []byte("done")); err != nil {
		t.Error("the next writer:", err)
	}
}

// Without a network every round fails in the same way, which is one line of the log.
func TestTheSameFailureIsLoggedOnce(t *testing.T) {
	words, err := lexicon.Load()
	if err != nil {
		t.Fatal(err)
	}
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		l := library.New(library.Options{
			Collections: []corpus.Collection{{Tool: tool, Sources: []corpus.Source{{Name: "sea", Path: nowhere}}}},
			Fetcher:     func() *corpus.Fetcher { return &corpus.Fetcher{} },
			Store:       store.Folder{Dir: t.TempDir()}, Words: words, Metrics: &notes{broken: map[string]bool{}},
			Every: time.Hour, Log: slog.New(slog.NewTextHandler(&log, nil)), Now: time.Now,
		})
		ctx, stop := context.WithTimeout(t.Context(), 6*time.Hour)
		defer stop()
		l.Run(ctx)
		if n := strings.Count(log.String(), "not all pages are up to date"); n != 1 {
			t.Errorf("%d lines in six hours:\n%.2000s", n, log.String())
		}
	})
}
