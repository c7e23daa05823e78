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
	at, ok := s.find(term, page)
	if !ok {
		return nil
	}
	last := s.inPieces.from[term+1]
	if at+1 < s.inPages.from[term+1] {
		last = s.inPages.all[at+1].pieces
	}
	return s.inPieces.all[s.inPages.all[at].pieces:last]
}

// find is where a page stands in a term's list. The loop has no branch that the
// processor would have to guess.
func (s *shelf) find(term, page uint32) (at uint32, ok bool) {
	at = s.inPages.from[term]
	n := s.inPages.from[term+1] - at
	if n == 0 {
		return at, false
	}
	for n > 1 {
		half := n / 2
		next := at + half
		if s.inPages.all[next].page <= page {
			at = next
		}
		n -= half
	}
	return at, s.inPages.all[at].page == page
}
