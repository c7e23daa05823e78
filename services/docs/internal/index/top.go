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
// most first. Whatever it leaves out has n entries before it that score at least
// as much as it may at most.
func (ix *Index) candidates(looks []*look, n int) []candidate {
	var out []candidate
	least := floor{n: n}
	for i, l := range looks {
		if l == nil {
			continue
		}
		for _, page := range l.pages {
			entry := ix.entries.of[i][page]
			members := ix.entries.pages(entry)
			if met(looks[:i], members) {
				continue
			}
			if ix.most(looks, members) < least.value() {
				continue
			}
			low, high := ix.entryBounds(looks, members)
			least.tell(low)
			if high > 0 && high >= least.value() {
				out = append(out, newCandidate(entry, high))
			}
		}
	}
	slices.Sort(out)
	slices.Reverse(out)
	end := slices.IndexFunc(out, func(c candidate) bool { return c.most() < least.value() })
	if end >= 0 {
		out = out[:end]
	}
	return out
}

// met says that an entry was met on a shelf before.
func met(before []*look, members []uint32) bool {
	for i, l := range before {
		if l != nil && members[i] != 0 && l.cells[members[i]-1].has != 0 {
			return true
		}
	}
	return false
}

// most is what an entry scores at most, as if its wanted page weighed most and was
// lent all.
func (ix *Index) most(looks []*look, members []uint32) (most float32) {
	factor := 0.0
	for i, l := range looks {
		if l == nil || members[i] == 0 {
			continue
		}
		most += l.most(members[i] - 1)
		if l.wanted {
			factor = max(factor, l.factor(members[i]-1))
		}
	}
	return most * float32(factor)
}

// entryBounds are the least and the most that an entry may score. One that has no
// wanted page scores nothing.
func (ix *Index) entryBounds(looks []*look, members []uint32) (least, most float32) {
	var low, high float32 // of all its pages
	for i, l := range looks {
		if l != nil && members[i] != 0 {
			l.least, l.highest = ix.bounds(l, members[i]-1)
			low += l.least
			high += l.highest
		}
	}
	twin := float32(ix.params.Twin)
	for i, l := range looks {
		if l != nil && l.wanted && members[i] != 0 {
			factor := float32(l.factor(members[i] - 1))
			least = max(least, factor*(l.least+twin*(low-l.least)))
			most = max(most, factor*(l.highest+twin*(high-l.highest)))
		}
	}
	return least, most
}
