package index

// look is one search on one shelf: what is asked for there, and what the sums over
// its pages have come to.
type look struct {
	*tables
	s          *shelf
	concepts   []concept
	total      float32 // what all concepts together are worth
	endless    float64 // what a page scores that has every concept endlessly often
	foreign    float64 // the factor for pages in another language than the question's
	wanted     bool    // its pages may be results
	near       float32 // by which share each pair of neighbours may add to a page's score
	allNear    float32 // by what all of them may multiply it
	pieceShare float32 // what the best piece counts at most, with the next
	// of the page in hand: the least and the most that it may score
	least, highest float32
	marksSet       bool // on terms, for nearness
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
	l.endless = float64(l.total) * (ix.params.K1 + 1 + ix.params.PieceShare*(ix.params.PieceK1+1))
	if n := len(l.concepts); n > 1 {
		l.near = float32(ix.params.Near+ix.params.NearTitle) / float32(n-1)
	}
	l.pieceShare = float32(ix.params.PieceShare * (1 + ix.params.NextPiece))
	l.allNear = (1 + l.near*float32(max(len(l.concepts)-1, 0))) * (1 + slack)
	ix.sumPages(l)
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

// most is what a page scores at most before its factor, told without much work:
// most pages are out by that.
func (l *look) most(page uint32) float32 {
	cell := &l.cells[page]
	return (cell.score + l.pieceShare*cell.pieces) * l.allNear
}

// bounds are what a page may score before its factor: all counts but its pieces,
// and how its words stand.
func (ix *Index) bounds(l *look, page uint32) (least, most float32) {
	cell := &l.cells[page]
	covered := ix.covered(cell.found, l.total)
	least = cell.score * covered * (1 - slack)
	most = (cell.score + l.pieceShare*cell.pieces) * covered * l.standing(cell.has) * (1 + slack)
	return least, most
}

// standing is the most by which words that stand together can multiply the score
// of a page that has these concepts.
func (l *look) standing(has uint64) float32 {
	return 1 + l.near*float32(neighbours(has))
}
