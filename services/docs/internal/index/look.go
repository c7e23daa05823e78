package index

import "math/bits"

// look is one search on one shelf: what is asked for there, and what the sums over
// its pages have come to.
type look struct {
	*tables
	s        *shelf
	concepts []concept
	total    float32 // what all concepts together are worth
	most     float64 // what a page scores that has every concept endlessly often
	foreign  float64 // the factor for pages in another language than the question's
	wanted   bool    // its pages may be results
	marksSet bool    // on terms, for nearness
}

// look adds up the pages of a shelf. The caller ends it.
func (ix *Index) look(at int, q question, wanted bool) *look {
	s := ix.shelves[at]
	from := q.language.Or(s.lang)
	l := &look{tables: s.tables(), s: s, concepts: ix.concepts(ask(q.words, from), from, s), foreign: 1, wanted: wanted}
	if from != s.lang {
		l.foreign = ix.params.Foreign
	}
	for _, c := range l.concepts {
		l.total += c.worth
	}
	l.most = float64(l.total) * (ix.params.K1 + 1 + ix.params.PieceShare*(ix.params.PieceK1+1))
	ix.sumPages(l)
	ix.bound(l)
	return l
}

// end makes the tables ready for the next search.
func (l *look) end() {
	if l.marksSet {
		l.unmark(l.concepts)
	}
	l.s.giveBack(l.tables)
}

// factor is by what a page's score is multiplied.
func (l *look) factor(page uint32) float64 { return l.s.weights[page] * l.foreign }

// slack is by how much bounds are wider than computed, since sums in another
// order differ in their last digits.
const slack = 1e-4

// bound tells for each page that has a word of the question the least and the most
// that it may score, before its factor.
func (ix *Index) bound(l *look) {
	share := float32(ix.params.PieceShare * (1 + ix.params.NextPiece))
	near := float32(0)
	if n := len(l.concepts); n > 1 {
		near = float32(ix.params.Near+ix.params.NearTitle) / float32(n-1)
	}
	for _, id := range l.pages {
		cell := &l.cells[id]
		covered := ix.covered(cell.found, l.total)
		neighbours := bits.OnesCount64(cell.has & (cell.has >> 1))
		cell.stands = 1 + near*float32(neighbours)
		cell.least = cell.score * covered * (1 - slack)
		cell.most = (cell.score + share*cell.pieces) * covered * cell.stands * (1 + slack)
	}
}
