package index

import "math"

// saturate is BM25's: each repeat counts less than the one before.
func saturate(amt, k1 float32) float32 { return amt * (k1 + 1) / (k1 + amt) }

// sumPages adds up BM25 over pages, and bounds what their pieces can add.
func (ix *Index) sumPages(l *look) {
	for i, c := range l.concepts {
		if len(c.terms) == 1 { // half of them: no sums to be kept
			for _, p := range l.s.inPages.of(c.terms[0].id) {
				weight := c.terms[0].weight
				ix.add(l, p.page, i, weight*p.amt, weight*p.best)
			}
			continue
		}
		l.touched = l.touched[:0]
		for _, term := range c.terms {
			for _, p := range l.s.inPages.of(term.id) {
				cell := &l.cells[p.page]
				if cell.amt == 0 {
					l.touched = append(l.touched, p.page)
				}
				cell.amt += term.weight * p.amt
				cell.best += term.weight * p.best
			}
		}
		for _, page := range l.touched {
			cell := &l.cells[page]
			ix.add(l, page, i, cell.amt, cell.best)
			cell.amt, cell.best = 0, 0
		}
	}
}

// add notes how much of a concept a page has, and at most one of its pieces.
func (ix *Index) add(l *look, page uint32, concept int, amt, best float32) {
	cell, worth := &l.cells[page], l.concepts[concept].worth
	if cell.has == 0 {
		l.pages = append(l.pages, page)
	}
	cell.has |= 1 << concept
	cell.score += worth * saturate(amt, ix.k1)
	piece := worth * saturate(best, ix.pieceK1)
	cell.piece = max(cell.piece, piece)
	cell.pieces += piece
	cell.found += worth * min(1, amt)
}

// coverSteps is into how many steps the share of a question is divided. Between
// two of them the factor is a straight line: less than 0.1 % off where a share is
// worth looking at.
const coverSteps = 256

// coverTable has the factor for each step: a power costs more than a look.
func coverTable(power float64) (out [coverSteps + 2]float32) {
	for i := range out {
		out[i] = float32(math.Pow(float64(i)/coverSteps, power))
	}
	return out
}

// covered is the factor for how much of the question was found.
func (ix *Index) covered(found, total float32) float32 {
	at := min(1, found/total) * coverSteps
	step := int(at)
	low, high := ix.cover[step], ix.cover[step+1]
	return low + (high-low)*(at-float32(step))
}
