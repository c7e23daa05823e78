// Package library keeps what can be searched: it gets the sources, makes an
// index of each collection, puts a new one in the place of the old one while
// searches run, and stores the pages for the next start and for other replicas.
// A source that fails keeps its old pages. How files are read and pages are
// found is for corpus and index.
package library

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/comporta-mcp/comporta/services/docs/internal/corpus"
	"github.com/comporta-mcp/comporta/services/docs/internal/embedding"
	"github.com/comporta-mcp/comporta/services/docs/internal/index"
	"github.com/comporta-mcp/comporta/services/docs/internal/page"
	"github.com/comporta-mcp/comporta/services/docs/internal/store"
)

// Options is what a library is made of.
type Options struct {
	Collections []corpus.Collection
	// Fetcher makes one for each round.
	Fetcher func() *corpus.Fetcher
	Store   store.Store
	// Every is how often sources are asked; 0: at the start only.
	Every time.Duration
	Words index.Words
	// Vectors adds a search by meaning to the collection of a tool; nil: none.
	Vectors func(ctx context.Context, tool string, pages []page.Page) (*embedding.Vectors, error)
	Metrics Metrics
	Log     *slog.Logger
	Now     func() time.Time
}

// Metrics is told what operators watch.
type Metrics interface {
	Source(name string, ok bool, pages int)
	Built(collection string, took time.Duration, pages int)
}

// Library answers searches. Make it with New and let Run keep it fresh.
type Library struct {
	o     Options
	ready chan struct{} // closed once there is something to search
	once  sync.Once
	// shown is read by searches; everything below belongs to the one round that runs.
	shown atomic.Pointer[map[string]*Collection]

	round    sync.Mutex
	sources  map[string]savedSource
	faults   map[string]error
	checked  time.Time
	revision string // of the stored pages that were taken
	told     string // what the log has of the last round
	faulty   atomic.Pointer[map[string]string]
}

// Collection is what one tool searches, at one moment. It does not change.
type Collection struct {
	Index *index.Index
	// Vectors find passages by meaning; nil where there are none.
	Vectors *embedding.Vectors
	Pages   []page.Page
	// Missing are the sources that have no pages, with the reason.
	Missing map[string]string
	// Old are the sources whose pages may be out of date, with the reason.
	Old map[string]string
}

// New makes an empty library.
func New(o Options) *Library {
	l := &Library{o: o, ready: make(chan struct{}), sources: map[string]savedSource{}, faults: map[string]error{}}
	l.shown.Store(&map[string]*Collection{})
	l.faulty.Store(&map[string]string{})
	return l
}

// Collection gives what a tool searches; false until it is there.
func (l *Library) Collection(tool string) (*Collection, bool) {
	c, ok := (*l.shown.Load())[tool]
	return c, ok
}

// Ready is closed once every collection was made for the first time.
func (l *Library) Ready() <-chan struct{} { return l.ready }

// Faults are the sources that could not be asked, with the reason.
func (l *Library) Faults() map[string]string { return *l.faulty.Load() }

// show puts a collection in the place of the old one.
func (l *Library) show(tool string, c *Collection) {
	shown := maps.Clone(*l.shown.Load())
	shown[tool] = c
	l.shown.Store(&shown)
	if len(shown) == len(l.o.Collections) {
		l.once.Do(func() { close(l.ready) })
	}
}
