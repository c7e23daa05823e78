package index

import (
	"cmp"
	"math"
	"slices"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
)

// rank gives the best pages of a shelf, at most Rerank, best first.
func (ix *Index) rank(s *shelf, question string) []hit {
	from := analysis.Detect(question, s.lang)
	concepts := ix.concepts(askedWords(question, from), from, s)
	t := s.tables()
	defer s.giveBack(t)
	total := ix.sum(s, t, concepts)
	if total == 0 {
		return nil
	}
	best := ix.order(s, t, total)
	most := total * (ix.params.K1 + 1 + ix.params.PieceShare*(ix.params.PieceK1+1))
	hits := make([]hit, len(best))
	t.mark(concepts)
	defer t.unmark(concepts)
	for i, b := range best {
		h := s.hit(b.id, t)
		h.Score = b.score * (1 + s.nearness(t, len(concepts), h, ix.params))
		// The root spreads what lies close to 0, since no page holds every word endlessly.
		h.Share = math.Sqrt(min(1, h.Score/most))
		if from != s.lang {
			h.factor *= ix.params.Foreign
		}
		hits[i] = h
	}
	slices.SortFunc(hits, compare)
	return hits
}

// candidate is a page with its score, small enough to be sorted by the hundred.
type candidate struct {
	id    uint32
	score float64
}

// cut sorts candidates and keeps the best n.
func cut(all []candidate, n int) []candidate {
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id)) })
	return all[:min(n, len(all))]
}

// order gives the pages that have a word of the question, best first, at most Rerank.
func (ix *Index) order(s *shelf, t *tables, total float64) []candidate {
	best := make([]candidate, 0, 2*ix.params.Rerank)
	floor := 0.0
	for id, found := range t.found {
		if found == 0 {
			continue
		}
		score := t.pageScore[id] + s.pieceScore(uint32(id), t, ix.params)
		if score *= math.Pow(min(1, found/total), ix.params.Cover); score < floor {
			continue
		}
		if best = append(best, candidate{uint32(id), score}); len(best) == cap(best) {
			best = cut(best, ix.params.Rerank)
			floor = best[len(best)-1].score
		}
	}
	return cut(best, ix.params.Rerank)
}

// sum adds up BM25 over pages and pieces in t, and gives what all concepts
// together are worth.
func (ix *Index) sum(s *shelf, t *tables, concepts []concept) (total float64) {
	p := ix.params
	for _, c := range concepts {
		idf := c.weight * s.idf(c)
		total += idf
		for _, id := range t.pages.gather(s.inPages, c) {
			amt := t.pages.take(id)
			t.pageScore[id] += idf * amt * (p.K1 + 1) / (p.K1 + amt)
			t.found[id] += idf * min(1, amt)
		}
		for _, id := range t.pieces.gather(s.inPieces, c) {
			amt := t.pieces.take(id)
			t.pieceScore[id] += idf * amt * (p.PieceK1 + 1) / (p.PieceK1 + amt)
		}
	}
	return total
}

// bare is a page without a score, with its first passage.
func (s *shelf) bare(id uint32) hit {
	h := hit{page: id, factor: 1, piece: s.first[id], hasOne: s.first[id] < s.first[id+1]}
	h.Page = s.pages[id]
	if h.Page.Weight > 0 {
		h.factor = h.Page.Weight
	}
	if h.hasOne {
		h.Passage = &h.Page.Passages[s.pieces[h.piece].at]
	}
	return h
}

// pieceScore is what a page's two best pieces add.
func (s *shelf) pieceScore(id uint32, t *tables, p Params) float64 {
	var best, second float64
	for _, score := range t.pieceScore[s.first[id]:s.first[id+1]] {
		if score > best {
			best, second = score, best
		} else {
			second = max(second, score)
		}
	}
	return p.PieceShare * (best + second*p.NextPiece)
}

// hit is a page with its best piece.
func (s *shelf) hit(id uint32, t *tables) hit {
	h := s.bare(id)
	best := 0.0
	for i := s.first[id]; i < s.first[id+1]; i++ {
		if t.pieceScore[i] > best {
			best, h.piece = t.pieceScore[i], i
		}
	}
	if h.hasOne {
		h.Passage = &h.Page.Passages[s.pieces[h.piece].at]
	}
	return h
}

// idf is how much a concept tells: the log of how rare it is among pages. One
// that the shelf lacks tells most, and no page has it.
func (s *shelf) idf(c concept) float64 {
	total, df := float64(len(s.pages)), 0.0
	for _, t := range c.terms {
		df = max(df, t.weight*float64(len(s.inPages[t.id])))
	}
	if df == 0 {
		return math.Log(1 + total)
	}
	df = max(df, 1)
	return math.Log(1 + (total-df+0.5)/(df+0.5))
}
