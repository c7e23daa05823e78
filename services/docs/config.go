package docs

import (
	"errors"
	"time"

	"github.com/comporta-mcp/comporta/services/docs/internal/corpus"
	"github.com/comporta-mcp/comporta/services/docs/internal/embedding"
)

// Config is what docs-mcp has to set beside what every host has.
type Config struct {
	Search Search
}

// Search is where the pages come from and how they are kept.
type Search struct {
	Corpora string `help:"file that says what is searched (see docs/corpora.md); empty: the public documentation of Azion"`
	// Offline reads git sources from the cache alone.
	Offline bool          `help:"never fetch a git repository: use the copies in the cache"`
	Refresh time.Duration `help:"how often sources are asked for changes; 0: at the start only"`
	// Folder keeps clones and pages. With Share the pages are in NATS.
	Folder    string `help:"folder for clones and stored pages; empty: search in data-dir"`
	Share     bool   `help:"keep the pages in an object store of NATS, so that replicas read the sources once"`
	Embedding embedding.Config
}

// Defaults are the values for production: no embedding.
func Defaults() Config {
	return Config{Search: Search{Refresh: 24 * time.Hour, Embedding: embedding.Defaults()}}
}

// Validate lists every fault.
func (s Search) Validate() error {
	var faults []error
	if _, err := corpus.Load(s.Corpora); err != nil {
		faults = append(faults, err)
	}
	if s.Refresh < 0 || s.Refresh > 0 && s.Refresh < time.Minute {
		faults = append(faults, errors.New("refresh must be 0 or at least 1m"))
	}
	return errors.Join(faults...)
}
