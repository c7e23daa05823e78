package library_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/services/docs/internal/corpus"
	"github.com/comporta-mcp/comporta/services/docs/internal/lexicon"
	"github.com/comporta-mcp/comporta/services/docs/internal/library"
	"github.com/comporta-mcp/comporta/services/docs/internal/store"
)

const tool = "search_sea"

// notes remembers what the metrics were told.
type notes struct {
	mu     sync.Mutex
	broken map[string]bool
	builds int
}

func (n *notes) Source(name string, ok bool, _ int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.broken[name] = !ok
}

func (n *notes) Built(string, time.Duration, int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.builds++
}

func page(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, dir string, kept store.Store) (*library.Library, *notes) {
	t.Helper()
	words, err := lexicon.Load()
	if err != nil {
		t.Fatal(err)
	}
	n := &notes{broken: map[string]bool{}}
	return library.New(library.Options{
		Collections: []corpus.Collection{{Tool: tool, Sources: []corpus.Source{{Name: "sea", Path: dir, URL: "{path}"}}}},
		Fetcher:     func() *corpus.Fetcher { return &corpus.Fetcher{} },
		Store:       kept, Words: words, Metrics: n, Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}), n
}

func find(l *library.Library, query string) string {
	c, ok := l.Collection(tool)
	if !ok {
		return "no collection"
	}
	hits := c.Index.Search(query, "", 1)
	if len(hits) == 0 {
		return ""
	}
	return hits[0].Page.Path
}

func TestABrokenSourceKeepsItsOldPages(t *testing.T) {
	dir, kept := t.TempDir(), store.Folder{Dir: t.TempDir()}
	page(t, dir, "tides.md", "# Tides\nThe moon pulls.")
	l, n := open(t, dir, kept)
	if err := l.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, dir+"-gone"); err != nil {
		t.Fatal(err)
	}
	if err := l.Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), "sea") {
		t.Errorf("the refresh says %v, want the name of the source", err)
	}
	if got := find(l, "moon"); got != "tides.md" {
		t.Errorf("the old page is gone: %q", got)
	}
	c, _ := l.Collection(tool)
	if len(l.Faults()) != 1 || !n.broken["sea"] || c.Old["sea"] == "" || len(c.Missing) != 0 {
		t.Errorf("faults %v, broken %v, old %v, missing %v", l.Faults(), n.broken, c.Old, c.Missing)
	}
	if err := os.Rename(dir+"-gone", dir); err != nil {
		t.Fatal(err)
	}
	if err := l.Refresh(t.Context()); err != nil || len(l.Faults()) != 0 || n.broken["sea"] {
		t.Errorf("the source is back: %v, faults %v", err, l.Faults())
	}
	if n.builds != 1 {
		t.Errorf("%d indexes were made of the same pages, want 1", n.builds)
	}
}

func TestAStartTakesWhatIsStored(t *testing.T) {
	dir, kept := t.TempDir(), store.Folder{Dir: t.TempDir()}
	page(t, dir, "tides.md", "# Tides\nThe moon pulls.")
	first, _ := open(t, dir, kept)
	if err := first.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	second, _ := open(t, filepath.Join(dir, "nowhere"), kept)
	if err := second.Take(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := find(second, "moon"); got != "tides.md" {
		t.Errorf("found %q", got)
	}
	page(t, dir, "boats.md", "# Boats\nA harbour.")
	if err := first.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := second.Take(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := find(second, "harbour"); got != "boats.md" {
		t.Errorf("the other replica's pages were not taken: %q", got)
	}
}

func TestStoredRubbishIsToldAndReplaced(t *testing.T) {
	dir, kept := t.TempDir(), store.Folder{Dir: t.TempDir()}
	page(t, dir, "tides.md", "# Tides\nThe moon pulls.")
	if _, err := kept.Save(t.Context(), []byte("no gzip")); err != nil {
		t.Fatal(err)
	}
	l, _ := open(t, dir, kept)
	if err := l.Take(t.Context()); err == nil || errors.Is(err, store.ErrNone) {
		t.Errorf("rubbish was taken: %v", err)
	}
	if err := l.Refresh(t.Context()); err != nil || find(l, "moon") != "tides.md" {
		t.Errorf("%v, found %q", err, find(l, "moon"))
	}
}

// The index is replaced again and again while searches run: each search sees the
// old pages or the new ones, and none fails.
func TestNoSearchFailsWhileTheIndexIsSwapped(t *testing.T) {
	dir := t.TempDir()
	write := func(round int) {
		for i := range 40 {
			page(t, dir, fmt.Sprintf("page-%d.md", i), fmt.Sprintf("# Page %d\nharbour round%d and number%d", i, round, i))
		}
	}
	write(0)
	l, n := open(t, dir, store.Folder{Dir: t.TempDir()})
	if err := l.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var asked, failed atomic.Int64
	for range 4 {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				want := fmt.Sprintf("page-%d.md", i%40)
				if got := find(l, fmt.Sprintf("number%d harbour", i%40)); got != want {
					failed.Add(1)
				}
				asked.Add(1)
			}
		})
	}
	for round := range 15 {
		write(round + 1)
		if err := l.Refresh(t.Context()); err != nil {
			t.Error(err)
		}
	}
	stop()
	wg.Wait()
	t.Logf("%d searches during %d new indexes", asked.Load(), n.builds)
	if failed.Load() > 0 || n.builds != 16 || asked.Load() == 0 {
		t.Errorf("%d of %d searches failed during %d new indexes", failed.Load(), asked.Load(), n.builds)
	}
}
