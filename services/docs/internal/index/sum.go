package index

import "math"

// saturate is BM25's: each repeat counts less than the one before.
func saturate(amt, k1 float32) float32 { return amt * (k1 + 1) / (k1 + amt) }

// sumPages adds up BM25 over pages, and bounds what their pieces can add.
func (ix *Index) sumPages(l *look) {
	k1, pieceK1 := float32(ix.params.K1), float32(ix.params.PieceK1)
	for i, c := range l.concepts {
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
		for _, id := range l.touched {
			cell := &l.cells[id]
			if cell.has == 0 {
				l.pages = append(l.pages, id)
			}
			cell.has |= 1 << i
			cell.score += c.worth * saturate(cell.amt, k1)
			cell.pieces += c.worth * saturate(cell.best, pieceK1)
			cell.found += c.worth * min(1, cell.amt)
			cell.amt, cell.best = 0, 0
		}
	}
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
