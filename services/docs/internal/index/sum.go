package index

import (
	"math"
	"slices"
)

// saturate is BM25's: each repeat counts less than the one before.
func saturate(amt, k1 float32) float32 { return amt * (k1 + 1) / (k1 + amt) }

// sumPages adds up BM25 over pages, and bounds what their pieces can add. It gives
// what all concepts together are worth.
func (ix *Index) sumPages(s *shelf, t *tables, concepts []concept) (total float64) {
	k1, pieceK1 := float32(ix.params.K1), float32(ix.params.PieceK1)
	for _, c := range concepts {
		worth := c.weight * s.idf(c)
		total += worth
		idf := float32(worth)
		t.touched = t.touched[:0]
		for _, term := range c.terms {
			for _, p := range s.inPages.of(term.id) {
				cell := &t.cells[p.page]
				if cell.amt == 0 {
					t.touched = append(t.touched, p.page)
				}
				cell.amt += term.weight * p.amt
				cell.most += term.weight * p.best
			}
		}
		for _, id := range t.touched {
			cell := &t.cells[id]
			if cell.found == 0 {
				t.pages = append(t.pages, id)
			}
			cell.score += idf * saturate(cell.amt, k1)
			cell.bound += idf * saturate(cell.most, pieceK1)
			cell.found += idf * min(1, cell.amt)
			cell.amt, cell.most = 0, 0
		}
	}
	return total
}

// sumPieces does so over the pieces of the chosen pages.
func (ix *Index) sumPieces(s *shelf, t *tables, concepts []concept) {
	k1 := float32(ix.params.PieceK1)
	for _, c := range concepts {
		idf := float32(c.weight * s.idf(c))
		t.touched = t.touched[:0]
		for _, term := range c.terms {
			list, end := s.inPages.of(term.id), s.inPieces.from[term.id+1]
			for i := range list {
				if !t.cells[list[i].page].chosen {
					continue
				}
				last := end
				if i+1 < len(list) {
					last = list[i+1].pieces
				}
				for _, p := range s.inPieces.all[list[i].pieces:last] {
					if t.amts[p.piece] == 0 {
						t.touched = append(t.touched, p.piece)
					}
					t.amts[p.piece] += term.weight * p.amt
				}
			}
		}
		for _, id := range t.touched {
			t.scores[id] += idf * saturate(t.amts[id], k1)
			t.amts[id] = 0
		}
	}
}

// candidate is a page and what it may score, in one number that sorts as the
// score does: the bits of a positive float are in the order of its value.
type candidate uint64

func newCandidate(page uint32, score float32) candidate {
	return candidate(math.Float32bits(score))<<32 | candidate(^page) // of equals, the first page first
}

func (c candidate) page() uint32 { return ^uint32(c) }

// choose takes the n pages that may score most, best first.
func (ix *Index) choose(t *tables, total float64, n int) {
	room := 2 * n
	share := float32(ix.params.PieceShare * (1 + ix.params.NextPiece))
	floor := candidate(0)
	for _, id := range t.pages {
		cell := &t.cells[id]
		c := newCandidate(id, (cell.score+share*cell.bound)*ix.covered(cell.found, total))
		if c < floor {
			continue
		}
		if t.best = append(t.best, c); len(t.best) == room {
			t.best = cut(t.best, n)
			floor = t.best[n-1]
		}
	}
	t.best = cut(t.best, n)
	for _, b := range t.best {
		t.cells[b.page()].chosen = true
	}
}

// cut keeps the best n.
func cut(all []candidate, n int) []candidate {
	slices.Sort(all)
	slices.Reverse(all)
	return all[:min(n, len(all))]
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
func (ix *Index) covered(found float32, total float64) float32 {
	at := min(1, found/float32(total)) * coverSteps
	step := int(at)
	low, high := ix.cover[step], ix.cover[step+1]
	return low + (high-low)*(at-float32(step))
}
