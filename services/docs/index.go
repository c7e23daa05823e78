package docs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/services/docs/internal/corpus"
)

// IndexConfig is what `docs-mcp index` has to set.
type IndexConfig struct {
	DataDir string `help:"folder of docs-mcp's data"`
	// NATS is used with search.share alone.
	NATS   SharedBus
	Search Search
}

// SharedBus is the settings of NATS where they may be left out.
type SharedBus bus.Config

// Validate wants a usable NATS where the pages go there. The error names nats,
// since Search alone cannot tell.
func (c IndexConfig) Validate() error {
	if !c.Search.Share {
		return nil
	}
	if err := bus.Config(c.NATS).Validate(); err != nil {
		return fmt.Errorf("with search.share NATS is needed: nats: %w", err)
	}
	return nil
}

// IndexDefaults are those of docs-mcp.
func IndexDefaults() IndexConfig {
	return IndexConfig{DataDir: host.Defaults().DataDir, NATS: SharedBus(host.Defaults().NATS), Search: Defaults().Search}
}

// Index reads every source once and stores the pages, so that docs-mcp starts
// with them. The error names the sources that failed; the others are stored.
func Index(ctx context.Context, cfg IndexConfig) (err error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	corpora, err := corpus.Load(cfg.Search.Corpora)
	if err != nil {
		return fmt.Errorf("search.corpora: %w", err)
	}
	deps := host.Deps{Metrics: prometheus.NewRegistry(), Log: log, Now: time.Now, DataDir: cfg.DataDir, HTTP: http.DefaultClient}
	if cfg.Search.Share {
		b, err := bus.Connect(bus.Config(cfg.NATS), "docs-mcp index", log, nil)
		if err != nil {
			return err
		}
		defer b.Close()
		if err := b.Ensure(ctx); err != nil {
			return err
		}
		deps.Objects = b.Objects
	}
	cfg.Search.Embedding.URL = "" // vectors are made by who serves them
	m, err := newMetrics(deps.Metrics)
	if err != nil {
		return err
	}
	l, err := newLibrary(cfg.Search, corpora, deps, m)
	if err != nil {
		return err
	}
	failed := l.Refresh(ctx)
	pages := 0
	for _, c := range corpora.Collections {
		if made, ok := l.Collection(c.Tool); ok {
			fmt.Printf("%-32s %5d pages, %d sources missing\n", c.Tool, len(made.Pages), len(made.Missing))
			pages += len(made.Pages)
		}
	}
	if pages == 0 {
		failed = errors.Join(failed, errors.New("there are no pages"))
	}
	return failed
}
