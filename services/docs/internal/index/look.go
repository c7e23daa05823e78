package index

// look is one search on one shelf: what is asked for there, and what the sums over
// its pages have come to.
type look struct {
	*tables
	s        *shelf
	concepts []concept
	total    float32  // what all concepts together are worth
	near     float32  // by which share each pair of neighbours may add to a page's score
	foreign  float32  // the factor for pages in another language than the question's
	native   bool     // its language is the question's, or may be
	wanted   bool     // its pages may be results
	hand     estimate // of the page in hand
	marksSet bool     // on terms, for nearness
}

// look adds up the pages of a shelf. The caller ends it.
func (ix *Index) look(s *shelf, a asked, wanted bool) *look {
	l := &look{tables: s.tables(), s: s, concepts: ix.concepts(a, s), foreign: 1, wanted: wanted}
	if l.native = a.lang == s.lang; !l.native {
		l.foreign = float32(ix.params.Foreign)
	}
	for _, c := range l.concepts {
		l.total += c.worth
	}
	if n := len(l.concepts); n > 1 {
		l.near = float32(ix.params.Near+ix.params.NearTitle) / float32(n-1)
	}
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
func (l *look) factor(page uint32) float32 { return l.s.weights[page] * l.foreign }
