package index

import (
	"cmp"
	"math"
	"slices"
)

// candidate is an entry and the most that it may score, in one number that sorts
// as the score does: the bits of a positive float are in the order of its value.
type candidate uint64

func newCandidate(entry uint32, most float32) candidate {
	return candidate(math.Float32bits(most))<<32 | candidate(entry)
}

func (c candidate) entry() uint32 { return uint32(c) }
func (c candidate) most() float32 { return math.Float32frombits(uint32(c >> 32)) }

// floor is the least that a score must have to be among the n best of those that
// it was told.
type floor struct {
	n    int
	best []float32 // the best n, in falling order
}

func newFloor(n int) floor { return floor{n: n, best: make([]float32, 0, min(n, 32))} }

func (f *floor) tell(score float32) {
	if score <= f.value() {
		return
	}
	at, _ := slices.BinarySearchFunc(f.best, score, func(a, b float32) int { return cmp.Compare(b, a) })
	if len(f.best) == f.n {
		f.best = f.best[:f.n-1]
	}
	f.best = slices.Insert(f.best, at, score)
}

func (f *floor) value() float32 {
	if len(f.best) < f.n {
		return 0
	}
	return f.best[f.n-1]
}

// candidates gives the entries that may be among the best n, those that may score
// most first, and what one must score to be among them. Whatever it leaves out has
// n entries before it that score at least as much as it may at most.
func (ix *Index) candidates(looks []*look, n int) ([]candidate, floor) {
	out := make([]candidate, 0, 64)
	least, reach := newFloor(n), ix.reach(looks)
	for i, l := range looks {
		if l == nil {
			continue
		}
		for _, page := range l.pages {
			c := &l.cells[page]
			if c.seen || (c.score+ix.mostPieces*c.pieces)*reach < least.value() {
				continue // if the entry is worth a look, then for another of its pages
			}
			entry := ix.entries.of[i][page]
			members := ix.entries.pages(entry)
			see(looks, members)
			e := ix.estimate(looks, members)
			least.tell(e.least)
			if e.most > 0 && e.most >= least.value() {
				out = append(out, newCandidate(entry, e.most))
			}
		}
	}
	slices.Sort(out)
	slices.Reverse(out)
	return out, least
}

// see marks an entry's pages.
func see(looks []*look, members []uint32) {
	for i, l := range looks {
		if l != nil && members[i] != 0 && l.cells[members[i]-1].has != 0 {
			l.cells[members[i]-1].seen = true
		}
	}
}
