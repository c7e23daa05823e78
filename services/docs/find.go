package docs

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
	"github.com/comporta-mcp/comporta/services/docs/internal/embedding"
	"github.com/comporta-mcp/comporta/services/docs/internal/index"
	"github.com/comporta-mcp/comporta/services/docs/internal/library"
	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

const (
	lexical = "lexical"
	hybrid  = "hybrid"
)

// find gives the results for a query, best first, one per page.
func find(ctx context.Context, c *library.Collection, query, language string, n int) []any {
	wanted := n
	if c.Vectors != nil {
		wanted = max(n, fused)
	}
	hits, kind := c.Index.Search(query, language, wanted), lexical
	if c.Vectors != nil {
		if near, err := c.Vectors.Near(ctx, query, fused); err == nil {
			hits, kind = fuse(hits, near, c.Pages, language), hybrid
		}
	}
	out := make([]any, 0, n)
	for _, h := range hits[:min(n, len(hits))] {
		out = append(out, map[string]any{
			"title": titleOf(h), "content": contentOf(h), "source": h.Page.Address(h.Passage),
			"similarity": round(h.Share), "search_type": kind, "relevance_score": round(h.Score),
		})
	}
	return out
}

// titleOf is the page's title and the headings of the passage.
func titleOf(h index.Hit) string {
	parts := []string{h.Page.Title}
	if h.Passage != nil {
		parts = append(parts, h.Passage.Headings...)
	}
	return strings.Join(parts, " › ")
}

// contentOf is the passage, or what the page says of itself.
func contentOf(h index.Hit) string {
	text := h.Page.Summary
	if h.Passage != nil {
		text = h.Passage.Text
	}
	n := 0
	for i := range text {
		if n++; n > maxContent {
			return text[:i] + " […]"
		}
	}
	return text
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// fused is how many results of each search are joined.
const fused = 50

// rankConstant damps the first ranks, as is usual in reciprocal rank fusion.
const rankConstant = 60

// fuse joins both rankings by the places that a page has in them. The score of a
// joined result is the sum of 1/(60+place).
func fuse(words []index.Hit, near []embedding.Hit, pages []page.Page, language string) []index.Hit {
	type joined struct {
		hit index.Hit
		sum float64
	}
	all := map[*page.Page]*joined{}
	for place, h := range words {
		all[h.Page] = &joined{h, 1 / float64(rankConstant+place+1)}
	}
	place := 0
	seen := map[*page.Page]bool{}
	for _, h := range near {
		p := &pages[h.Page]
		if seen[p] || language != "" && analysis.Of(p.Lang) != analysis.Of(language) {
			continue
		}
		seen[p] = true
		place++
		if all[p] == nil {
			all[p] = &joined{hit: index.Hit{Page: p, Passage: &p.Passages[h.Passage]}}
		}
		all[p].sum += 1 / float64(rankConstant+place)
		all[p].hit.Share = max(all[p].hit.Share, min(1, h.Cosine))
	}
	out := make([]index.Hit, 0, len(all))
	for _, j := range all {
		j.hit.Score = j.sum
		out = append(out, j.hit)
	}
	slices.SortFunc(out, func(a, b index.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Page.Path, b.Page.Path), cmp.Compare(a.Page.Source, b.Page.Source))
	})
	return out
}
