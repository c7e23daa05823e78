package index

import "slices"

// bestPieces gives the best piece of a page that has a word of the question, and
// what its two best count.
func (ix *Index) bestPieces(l *look, page uint32) (at uint32, sum float32) {
	first, end := l.s.first[page], l.s.first[page+1]
	scores := l.sumPieces(page, float32(ix.params.PieceK1))
	var best, second float32
	at = first
	for i, score := range scores[:end-first] {
		switch {
		case score > best:
			best, second, at = score, best, first+uint32(i)
		case score > second:
			second = score
		}
	}
	clear(scores)
	return at, best + float32(ix.params.NextPiece)*second
}

// sumPieces adds up BM25 over the pieces of a page. The caller clears what it gets.
func (l *look) sumPieces(page uint32, k1 float32) []float32 {
	first := l.s.first[page]
	n := l.s.first[page+1] - first
	scores, amts := l.scores[:n], l.amts[:n]
	has := l.cells[page].has
	for i, c := range l.concepts {
		if has&(1<<i) == 0 {
			continue
		}
		for _, term := range c.terms {
			for _, p := range l.s.parts(term.id, page) {
				amts[p.piece-first] += term.weight * p.amt
			}
		}
		for i, amt := range amts {
			if amt != 0 {
				scores[i] += c.worth * saturate(amt, k1)
				amts[i] = 0
			}
		}
	}
	return scores
}

// parts are those of a term in a page.
func (s *shelf) parts(term, page uint32) []part {
	list := s.inPages.of(term)
	i, ok := slices.BinarySearchFunc(list, page, func(p posting, page uint32) int { return int(p.page) - int(page) })
	if !ok {
		return nil
	}
	end := s.inPieces.from[term+1]
	if i+1 < len(list) {
		end = list[i+1].pieces
	}
	return s.inPieces.all[list[i].pieces:end]
}
