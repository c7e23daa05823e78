package index

// weigher scores entries, one after the other.
type weigher struct {
	ix    *Index
	looks []*look
	pages []weighedPage // of the entry in hand, by shelf
}

// weighedPage is a page of the entry in hand.
type weighedPage struct {
	here  bool    // it has a word of the question
	piece uint32  // the best
	has   uint64  // the concepts in the best
	title int     // neighbours in the title
	score float64 // without what neighbours add, then with it
}

// weigh scores an entry exactly, unless it is sure on the way that it scores less
// than floor.
//
// A page lends a share of its score to its translations: they say the same, and
// the question may meet the other page's words. The entry scores as the wanted
// page does that scores most with what it was lent; another may be shown.
func (w *weigher) weigh(members []uint32, floor float32) (result, bool) {
	for i, l := range w.looks {
		w.pages[i] = weighedPage{}
		if l != nil && members[i] != 0 && l.cells[members[i]-1].has != 0 {
			w.pages[i] = w.ix.withoutNear(l, members[i]-1)
		}
	}
	if float32(w.score(members, true)) < floor {
		return result{}, false
	}
	for i, l := range w.looks {
		if p := &w.pages[i]; p.here {
			p.score *= 1 + w.ix.nearness(l, p.title, l.nearInPiece(p.piece, p.has))
		}
	}
	r := w.shown(members)
	r.score = w.score(members, false)
	return r, true
}

// withoutNear weighs all of a page but how its words stand.
func (ix *Index) withoutNear(l *look, page uint32) weighedPage {
	cell := &l.cells[page]
	at, has, pieces := ix.bestPieces(l, page)
	score := (cell.score + float32(ix.params.PieceShare)*pieces) * ix.covered(cell.found, l.total)
	return weighedPage{here: true, piece: at, has: has, title: l.nearInTitle(page), score: float64(score)}
}

// score is what the entry has, or with most what it may have if words stand
// together wherever they can.
func (w *weigher) score(members []uint32, most bool) (best float64) {
	own := func(i int) float64 {
		p := &w.pages[i]
		if most && p.here {
			return p.score * (1 + w.ix.nearness(w.looks[i], p.title, neighbours(p.has))) * (1 + slack)
		}
		return p.score
	}
	all := 0.0
	for i := range w.pages {
		all += own(i)
	}
	for i, l := range w.looks {
		if l != nil && l.wanted && members[i] != 0 {
			best = max(best, (own(i)+w.ix.params.Twin*(all-own(i)))*float64(l.factor(members[i]-1)))
		}
	}
	return best
}

// shown is the wanted page in the language of the question that has a word of it;
// where there is none, the one that answers best by itself, as a share of what a
// page of its shelf can: what a word tells is how rare it is on a shelf, so that
// scores of two shelves do not compare. A page that has no word of the question is
// as near to it as its translation lets it be.
func (w *weigher) shown(members []uint32) result {
	var out result
	best, lent := -1.0, 0.0
	for i, l := range w.looks {
		if w.pages[i].here {
			lent = max(lent, w.ix.share(l, w.pages[i].score)*w.ix.params.Twin)
		}
	}
	for i, l := range w.looks {
		if l == nil || !l.wanted || members[i] == 0 {
			continue
		}
		page := members[i] - 1
		r := result{shelf: i, page: page, piece: l.s.first[page], share: lent}
		own := 0.0
		if w.pages[i].here {
			own = w.ix.share(l, w.pages[i].score)
			r.piece, r.share = w.pages[i].piece, own
			if l.native {
				own++ // a share is at most 1
			}
		}
		r.share = min(1, r.share*float64(l.factor(page)))
		if own > best {
			best, out = own, r
		}
	}
	return out
}
