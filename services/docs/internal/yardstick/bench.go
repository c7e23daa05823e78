package yardstick

import (
	"context"
	"fmt"

	"github.com/comporta-mcp/comporta/services/docs/internal/corpus"
	"github.com/comporta-mcp/comporta/services/docs/internal/index"
	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// Bench asks indexes of all corpora directly, without a server, with any numbers
// of the scorer. It is not for use by several goroutines.
type Bench struct {
	prepared map[string]*index.Prepared // by tool
	fold     map[string]bool
}

// NewBench reads the corpora in a folder.
func NewBench(ctx context.Context, folder string, words index.Words) (*Bench, error) {
	b := &Bench{prepared: map[string]*index.Prepared{}, fold: map[string]bool{}}
	for _, c := range Config(folder).Collections {
		var pages []page.Page
		for _, s := range c.Sources {
			read, err := (&corpus.Fetcher{}).Fetch(ctx, s)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
			pages = append(pages, read.Pages...)
		}
		b.prepared[c.Tool], b.fold[c.Tool] = index.Prepare(pages, words), c.Fold
	}
	return b, nil
}

// Ask measures the answer to every question.
func (b *Bench) Ask(p index.Params, questions []Question) []Measures {
	indexes := map[string]*index.Index{}
	for tool, prepared := range b.prepared {
		indexes[tool] = prepared.Index(index.Options{Fold: b.fold[tool], Params: p})
	}
	out := make([]Measures, len(questions))
	for i, q := range questions {
		tool, language := Tool(q.Corpus)
		var ranked []string
		for _, hit := range indexes[tool].Search(q.Query, language, mrrDepth) {
			ranked = append(ranked, hit.Page.Address(nil))
		}
		out[i] = Measure(ranked, q.Relevant)
	}
	return out
}
