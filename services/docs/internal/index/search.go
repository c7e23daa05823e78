package index

import (
	"cmp"
	"math"
	"slices"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
)

// Search gives the best n pages for a question of any text. lang names the
// language of the pages that are wanted; "" means all.
func (ix *Index) Search(text, lang string, n int) []Hit {
	if n <= 0 {
		return nil
	}
	q := read(text)
	looks := make([]*look, len(ix.shelves))
	for i, s := range ix.shelves {
		if wanted := lang == "" || analysis.Of(lang) == s.lang; wanted || ix.fold {
			looks[i] = ix.look(s, ix.ask(&q, s.lang), wanted)
		}
	}
	results := ix.best(looks, n)
	for _, l := range looks {
		if l != nil {
			l.end()
		}
	}
	hits := make([]Hit, len(results))
	for i, r := range results {
		hits[i] = ix.hit(r)
	}
	return hits
}

// result is an entry on its way to be a Hit.
type result struct {
	shelf int
	page  uint32 // the one that is shown
	piece uint32 // the best of it, where it has any
	score float64
	share float64
}

// best weighs entries until none that is left can be among the best n.
func (ix *Index) best(looks []*look, n int) []result {
	candidates, least := ix.candidates(looks, n)
	sure := newFloor(n)
	out := make([]result, 0, min(len(candidates), 4*n))
	w := weigher{ix: ix, looks: looks, pages: make([]weighedPage, len(looks))}
	for _, c := range candidates {
		needed := max(least.value(), sure.value())
		if c.most() < needed {
			break
		}
		if r, ok := w.weigh(ix.entries.pages(c.entry()), needed); ok {
			sure.tell(float32(r.score))
			out = append(out, r)
		}
	}
	ix.order(out)
	return out[:min(n, len(out))]
}

// order puts better results first; equal ones have a fixed order.
func (ix *Index) order(results []result) {
	slices.SortFunc(results, func(a, b result) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		p, q := ix.shelves[a.shelf].pages[a.page], ix.shelves[b.shelf].pages[b.page]
		return cmp.Or(cmp.Compare(p.Path, q.Path), cmp.Compare(p.Route, q.Route), cmp.Compare(p.Method, q.Method), cmp.Compare(a.shelf, b.shelf))
	})
}

// hit makes a Hit of what was found.
func (ix *Index) hit(r result) Hit {
	s := ix.shelves[r.shelf]
	out := Hit{Page: s.pages[r.page], Score: r.score, Share: r.share}
	if s.first[r.page] < s.first[r.page+1] {
		out.Passage = &out.Page.Passages[s.pieces[r.piece].at]
	}
	return out
}

// share tells a score as a part of what a page has that holds every concept
// endlessly often. The root spreads what lies close to 0, where all pages lie.
func (ix *Index) share(l *look, score float64) float64 {
	most := float64(l.total) * (ix.params.K1 + 1 + ix.params.PieceShare*(ix.params.PieceK1+1))
	return math.Sqrt(min(1, score/most))
}
