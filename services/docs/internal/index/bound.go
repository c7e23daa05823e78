package index

// estimate is what a page or an entry may score.
type estimate struct{ least, most float32 }

// slack is by how much bounds are wider than computed, since sums in another
// order differ in their last digits.
const slack = 1e-4

// estimatePage says what a page may score before its factor: its pieces are open,
// and how its words stand.
func (ix *Index) estimatePage(l *look, page uint32) estimate {
	c := &l.cells[page]
	covered := ix.covered(c.found, l.total)
	return estimate{
		least: (c.score + ix.pieceShare*c.piece) * covered * (1 - slack),
		most:  (c.score + ix.mostPieces*c.pieces) * covered * (1 + l.near*float32(neighbours(c.has))) * (1 + slack),
	}
}

// estimate says what an entry may score. One that has no wanted page scores nothing.
func (ix *Index) estimate(looks []*look, members []uint32) (e estimate) {
	var all estimate // of all its pages together
	for i, l := range looks {
		if l != nil && members[i] != 0 {
			l.hand = ix.estimatePage(l, members[i]-1)
			all.least += l.hand.least
			all.most += l.hand.most
		}
	}
	for i, l := range looks {
		if l != nil && l.wanted && members[i] != 0 {
			factor := l.factor(members[i] - 1)
			e.least = max(e.least, factor*(l.hand.least+ix.twin*(all.least-l.hand.least)))
			e.most = max(e.most, factor*(l.hand.most+ix.twin*(all.most-l.hand.most)))
		}
	}
	return e
}

// reach is by how much an entry may score more than the best of its pages does by
// its words alone: where they stand, what its translations lend, and its factor.
func (ix *Index) reach(looks []*look) float32 {
	var pages, factor float32
	for _, l := range looks {
		if l != nil {
			pages++
		}
		if l != nil && l.wanted {
			factor = max(factor, l.s.heaviest*l.foreign)
		}
	}
	return pages * factor * float32(1+ix.params.Near+ix.params.NearTitle) * (1 + slack)
}
