package index

// bestPieces gives the best piece of a page that has a word of the question, the
// concepts that it has, and what the page's two best pieces count.
func (ix *Index) bestPieces(l *look, page uint32) (at uint32, has uint64, sum float32) {
	first := l.s.first[page]
	pieces := l.sumPieces(page, ix.pieceK1)
	var best, second float32
	at = first
	for i, p := range pieces {
		switch {
		case p.score > best:
			best, second, at, has = p.score, best, first+uint32(i), p.has
		case p.score > second:
			second = p.score
		}
	}
	clear(pieces)
	return at, has, best + float32(ix.params.NextPiece)*second
}

// sumPieces adds up BM25 over the pieces of a page. The caller clears what it gets.
func (l *look) sumPieces(page uint32, k1 float32) []pieceCell {
	first := l.s.first[page]
	cells := l.pieces[:l.s.first[page+1]-first]
	has := l.cells[page].has
	for i, c := range l.concepts {
		if has&(1<<i) == 0 {
			continue
		}
		l.touched = l.touched[:0]
		for _, term := range c.terms {
			for _, p := range l.s.parts(term.id, page) {
				cell := &cells[p.piece-first]
				if cell.amt == 0 {
					l.touched = append(l.touched, p.piece-first)
				}
				cell.amt += term.weight * p.amt
			}
		}
		for _, piece := range l.touched {
			cell := &cells[piece]
			cell.has |= 1 << i
			cell.score += c.worth * saturate(cell.amt, k1)
			cell.amt = 0
		}
	}
	return cells
}

// parts are those of a term in a page.
func (s *shelf) parts(term, page uint32) []part {
	from, end := s.inPages.from[term], s.inPages.from[term+1]
	at := from
	for n := end - from; n > 0; { // by halves
		half := n / 2
		if s.inPages.all[at+half].page < page {
			at += half + 1
			n -= half + 1
		} else {
			n = half
		}
	}
	if at == end || s.inPages.all[at].page != page {
		return nil
	}
	last := s.inPieces.from[term+1]
	if at+1 < end {
		last = s.inPages.all[at+1].pieces
	}
	return s.inPieces.all[s.inPages.all[at].pieces:last]
}
