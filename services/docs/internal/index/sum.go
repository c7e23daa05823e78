package index

import "math"

// saturate is BM25's: each repeat counts less than the one before.
func saturate(amt, k1 float32) float32 { return amt * (k1 + 1) / (k1 + amt) }

// sumPages adds up BM25 over pages, bounds what their pieces can add, and notes
// where the terms of each page were met.
//
// Its loops are where a search spends most of its time. Lists of pages are written
// past their end and then lengthened or not: a branch that goes either way costs
// more than all else that is done there.
func (ix *Index) sumPages(l *look) {
	for i, c := range l.concepts {
		if len(c.terms) == 1 {
			ix.sumTerm(l, i, c)
			continue
		}
		touched, n := l.touched[:len(l.cells)+1], 0
		pages, met := l.pages[:len(l.cells)+1], len(l.pages)
		for _, term := range c.terms {
			from := l.s.inPages.from[term.id]
			for at, p := range l.s.inPages.of(term.id) {
				cell := &l.cells[p.page]
				pages[met], touched[n] = p.page, p.page
				if cell.has == 0 {
					met++
				}
				if cell.has&(1<<i) == 0 {
					n++
				}
				cell.has |= 1 << i
				cell.amt += term.weight * p.amt
				cell.best += term.weight * p.best
				cell.one = max(cell.one, term.weight*p.best)
				cell.met = l.meet(meeting{from + uint32(at), uint32(i), term.weight, cell.met})
			}
		}
		for _, page := range touched[:n] {
			cell := &l.cells[page]
			cell.add(c.worth, cell.amt, cell.best, cell.one, ix.k1, ix.pieceK1)
			cell.amt, cell.best, cell.one = 0, 0, 0
		}
		l.pages = pages[:met]
	}
}

// sumTerm does so for a concept of one term, without sums to be kept.
func (ix *Index) sumTerm(l *look, i int, c concept) {
	from, weight := l.s.inPages.from[c.terms[0].id], c.terms[0].weight
	pages, met := l.pages[:len(l.cells)+1], len(l.pages)
	for at, p := range l.s.inPages.of(c.terms[0].id) {
		cell := &l.cells[p.page]
		pages[met] = p.page
		if cell.has == 0 {
			met++
		}
		cell.add(c.worth, weight*p.amt, weight*p.best, weight*p.best, ix.k1, ix.pieceK1)
		cell.has |= 1 << i
		cell.met = l.meet(meeting{from + uint32(at), uint32(i), weight, cell.met})
	}
	l.pages = pages[:met]
}

// add notes how much of a concept a page has, and how much its pieces may have: no
// more than best, and one of them as much as one.
func (c *cell) add(worth, amt, best, one, k1, pieceK1 float32) {
	c.score += worth * saturate(amt, k1)
	c.found += worth * min(1, amt)
	c.pieces += worth * saturate(best, pieceK1)
	c.piece = max(c.piece, worth*saturate(one, pieceK1))
}

// meeting is a term that was met in a page.
type meeting struct {
	posting uint32
	concept uint32
	weight  float32
	before  uint32 // the page's meeting before, plus 1; 0: none
}

// meet keeps a meeting, and gives its place plus 1.
func (t *tables) meet(m meeting) uint32 {
	t.meetings = append(t.meetings, m)
	return uint32(len(t.meetings))
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
