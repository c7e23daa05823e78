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

// sumPieces adds up BM25 over the pieces of a page, going back over the terms that
// were met there. The caller clears what it gets.
func (l *look) sumPieces(page uint32, k1 float32) []pieceCell {
	first := l.s.first[page]
	cells := l.pieces[:l.s.first[page+1]-first]
	for at := l.cells[page].met; at != 0; {
		i := l.meetings[at-1].concept
		l.touched = l.touched[:0]
		for at != 0 && l.meetings[at-1].concept == i {
			m := l.meetings[at-1]
			for _, p := range l.s.parts(m.posting) {
				cell := &cells[p.piece-first]
				if cell.amt == 0 {
					l.touched = append(l.touched, p.piece-first)
				}
				cell.amt += m.weight * p.amt
			}
			at = m.before
		}
		for _, piece := range l.touched {
			cell := &cells[piece]
			cell.has |= 1 << i
			cell.score += l.concepts[i].worth * saturate(cell.amt, k1)
			cell.amt = 0
		}
	}
	return cells
}

// parts are those of a term in a page.
func (s *shelf) parts(posting uint32) []part {
	all := s.inPages.all
	return s.inPieces.all[all[posting].pieces:all[posting+1].pieces]
}
