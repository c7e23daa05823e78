package index

import "math/bits"

// window is how far apart words may stand that are near, in terms.
const window = 4

// nearness is how many neighbours in the question are neighbours in the title
// and the best passage. t knows which terms belong to which concepts.
func (s *shelf) nearness(t *tables, concepts int, h hit, p Params) float64 {
	if concepts < 2 {
		return 0
	}
	title := bits.OnesCount64(t.pairs(s.titles[h.page]))
	text := 0
	if h.hasOne {
		text = bits.OnesCount64(t.pairs(s.pieces[h.piece].terms))
	}
	return (p.NearTitle*float64(title) + p.Near*float64(text)) / float64(concepts-1)
}

// mark notes for each term, as a bit, the concepts that it stands for. There are
// at most maxAsked of them, and maxAsked bits.
func (t *tables) mark(concepts []concept) {
	for i, c := range concepts {
		for _, term := range c.terms {
			t.marks[term.id] |= 1 << i
		}
	}
}

// unmark makes the marks ready for the next search.
func (t *tables) unmark(concepts []concept) {
	for _, c := range concepts {
		for _, term := range c.terms {
			t.marks[term.id] = 0
		}
	}
}

// pairs has bit i set where concepts i and i+1 stand within window of each other,
// in any order, as different words.
func (t *tables) pairs(terms []uint32) (found uint64) {
	var recent [window]uint64
	for i, term := range terms {
		m := t.marks[term]
		if m != 0 {
			var before uint64
			for _, r := range recent {
				before |= r
			}
			found |= (m >> 1) & before // the later concept stands here
			found |= m & (before >> 1)
		}
		recent[i%window] = m
	}
	return found
}
