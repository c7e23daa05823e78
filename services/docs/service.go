package docs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/services/docs/internal/corpus"
	"github.com/comporta-mcp/comporta/services/docs/internal/embedding"
	"github.com/comporta-mcp/comporta/services/docs/internal/lexicon"
	"github.com/comporta-mcp/comporta/services/docs/internal/library"
	"github.com/comporta-mcp/comporta/services/docs/internal/page"
	"github.com/comporta-mcp/comporta/services/docs/internal/store"
)

// service is what the tools of one host share.
type service struct {
	cfg     Search
	corpora corpus.Config
	library *library.Library // nil until the host has made the tools
}

// open makes the library. It reads no source yet: run does.
func (s *service) open(d host.Deps) (err error) {
	if s.corpora, err = corpus.Load(s.cfg.Corpora); err != nil {
		return fmt.Errorf("search.corpora: %w", err)
	}
	m, err := newMetrics(d.Metrics)
	if err != nil {
		return err
	}
	s.library, err = newLibrary(s.cfg, s.corpora, d, m)
	return err
}

func newLibrary(cfg Search, corpora corpus.Config, d host.Deps, m library.Metrics) (*library.Library, error) {
	words, err := lexicon.Load()
	if err != nil {
		return nil, err
	}
	folder := cfg.Folder
	if folder == "" {
		folder = filepath.Join(d.DataDir, "search")
	}
	var kept store.Store = store.Folder{Dir: folder}
	if cfg.Share {
		kept = store.Bucket{Open: func(ctx context.Context) (jetstream.ObjectStore, error) { return d.Objects(ctx, bus.Library) }}
	}
	o := library.Options{
		Collections: corpora.Collections,
		Fetcher: func() *corpus.Fetcher {
			return &corpus.Fetcher{Cache: filepath.Join(folder, "git"), Offline: cfg.Offline, BuiltIn: builtIn}
		},
		Store: kept, Every: cfg.Refresh, Words: words, Metrics: m, Log: d.Log, Now: d.Now,
	}
	if cfg.Embedding.Given() {
		o.Vectors = remembering(&embedding.Client{Config: cfg.Embedding, HTTP: d.HTTP})
	}
	return library.New(o), nil
}

// remembering asks for the vectors of what changed since the last time.
func remembering(client *embedding.Client) func(context.Context, string, []page.Page) (*embedding.Vectors, error) {
	memories := map[string]*embedding.Memory{}
	return func(ctx context.Context, tool string, pages []page.Page) (*embedding.Vectors, error) {
		if memories[tool] == nil {
			memories[tool] = &embedding.Memory{Client: client}
		}
		return memories[tool].Of(ctx, pages)
	}
}

func (s *service) run(ctx context.Context) { s.library.Run(ctx) }

// ready waits for the first index of every collection, but not for sources that fail.
func (s *service) ready(ctx context.Context) error {
	select {
	case <-s.library.Ready():
		return nil
	default:
		return errors.New("the first index is being made")
	}
}

// degraded are the sources that could not be asked: their old pages are served.
func (s *service) degraded() map[string]string { return s.library.Faults() }

// firstIndex is how long a caller may have to wait for the first index.
const firstIndex = 10 * time.Second
