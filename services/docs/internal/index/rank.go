package index

import (
	"cmp"
	"math"
	"slices"
)

// hit is a page on its way to be a Hit.
type hit struct {
	shelf  int
	page   uint32
	piece  uint32  // the best, where the page has any
	score  float64 // before the factor
	share  float64
	factor float64 // by the page's weight and language
	wanted bool
}

// rank adds the best pages of a shelf to hits, at most Rerank.
func (ix *Index) rank(hits []hit, at int, q question, wanted bool) []hit {
	s := ix.shelves[at]
	from := q.language.Or(s.lang)
	concepts := ix.concepts(ask(q.words, from), from, s)
	t := s.tables()
	defer s.giveBack(t)
	total := ix.sumPages(s, t, concepts)
	if total == 0 {
		return hits
	}
	ix.choose(t, total, ix.params.Rerank)
	ix.sumPieces(s, t, concepts)
	t.mark(concepts)
	defer t.unmark(concepts)
	most := total * (ix.params.K1 + 1 + ix.params.PieceShare*(ix.params.PieceK1+1))
	for _, b := range t.best {
		h := hit{shelf: at, page: b.page(), wanted: wanted}
		h.factor = s.weights[h.page]
		var pieces float64
		h.piece, pieces = s.bestPieces(h.page, t, ix.params.NextPiece)
		cell := t.cells[h.page]
		h.score = (float64(cell.score) + ix.params.PieceShare*pieces) * float64(ix.covered(cell.found, total))
		h.score *= 1 + s.nearness(t, len(concepts), h, ix.params)
		// The root spreads what lies close to 0, since no page holds every word endlessly.
		h.share = math.Sqrt(min(1, h.score/most))
		if from != s.lang {
			h.factor *= ix.params.Foreign
		}
		hits = append(hits, h)
	}
	return hits
}

// bestPieces gives a page's best piece, and what its two best count.
func (s *shelf) bestPieces(id uint32, t *tables, next float64) (at uint32, sum float64) {
	var best, second float32
	at = s.first[id]
	for i := s.first[id]; i < s.first[id+1]; i++ {
		switch score := t.scores[i]; {
		case score > best:
			best, second, at = score, best, i
		case score > second:
			second = score
		}
	}
	return at, float64(best) + next*float64(second)
}

// hit makes a Hit of what was found.
func (ix *Index) hit(h hit) Hit {
	s := ix.shelves[h.shelf]
	out := Hit{Page: s.pages[h.page], Score: h.score * h.factor, Share: min(1, h.share*h.factor)}
	if s.first[h.page] < s.first[h.page+1] {
		out.Passage = &out.Page.Passages[s.pieces[h.piece].at]
	}
	return out
}

// order puts better hits first; equal ones have a fixed order.
func (ix *Index) order(hits []hit) {
	slices.SortFunc(hits, func(a, b hit) int {
		if c := cmp.Compare(b.score*b.factor, a.score*a.factor); c != 0 {
			return c
		}
		p, q := ix.shelves[a.shelf].pages[a.page], ix.shelves[b.shelf].pages[b.page]
		return cmp.Or(cmp.Compare(p.Path, q.Path), cmp.Compare(p.Route, q.Route), cmp.Compare(p.Method, q.Method), cmp.Compare(a.shelf, b.shelf))
	})
}
