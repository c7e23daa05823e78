package index

import "math/bits"

// window is how far apart words may stand that are near, in terms.
const window = 4

// nearInTitle counts the neighbours in the question that are neighbours in a page's title.
func (l *look) nearInTitle(page uint32) int {
	if l.near == 0 || neighbours(l.cells[page].has) == 0 {
		return 0
	}
	l.markOnce()
	return bits.OnesCount64(l.pairs(l.s.titles[page]))
}

// nearInPiece counts them in a piece that has the concepts.
func (l *look) nearInPiece(piece uint32, has uint64) int {
	if l.near == 0 || neighbours(has) == 0 {
		return 0
	}
	l.markOnce()
	return bits.OnesCount64(l.pairs(l.s.pieces[piece].terms))
}

// neighbours is how many of these concepts stand next to each other in the question.
func neighbours(has uint64) int { return bits.OnesCount64(has & (has >> 1)) }

// nearness is the share that neighbours add to a page's score.
func (ix *Index) nearness(l *look, title, text int) float64 {
	if l.near == 0 {
		return 0
	}
	return (ix.params.NearTitle*float64(title) + ix.params.Near*float64(text)) / float64(len(l.concepts)-1)
}

func (l *look) markOnce() {
	if !l.marksSet {
		l.marksSet = true
		l.mark(l.concepts)
	}
}

// mark notes for each term, as a bit, the concepts that it stands for. There are
// at most maxAsked of them, and maxAsked bits.
func (t *tables) mark(concepts []concept) {
	for i, c := range concepts {
		for _, term := range c.terms {
			t.marks[term.id] |= 1 << i
			t.marked[term.id/64] |= 1 << (term.id % 64)
		}
	}
}

// unmark makes the marks ready for the next search.
func (t *tables) unmark(concepts []concept) {
	for _, c := range concepts {
		for _, term := range c.terms {
			t.marks[term.id] = 0
			t.marked[term.id/64] = 0
		}
	}
}

// pairs has bit i set where concepts i and i+1 stand within window of each other,
// in any order, as different words.
func (t *tables) pairs(terms []uint32) (found uint64) {
	var recent [window]uint64 // the last first
	gap := 0                  // unmarked terms since recent[0]
	for _, term := range terms {
		if t.marked[term/64]&(1<<(term%64)) == 0 { // most of them; marked stays in the processor's cache
			gap++
			continue
		}
		for ; gap > 0; gap-- {
			if gap >= window {
				recent = [window]uint64{}
				gap = 0
				break
			}
			copy(recent[1:], recent[:window-1])
			recent[0] = 0
		}
		m := t.marks[term]
		before := recent[0] | recent[1] | recent[2] | recent[3]
		found |= (m >> 1) & before // the later concept stands here
		found |= m & (before >> 1)
		copy(recent[1:], recent[:window-1])
		recent[0] = m
	}
	return found
}
