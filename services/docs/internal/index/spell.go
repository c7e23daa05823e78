package index

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// speller knows the words of all shelves and finds those that were likely meant.
type speller struct {
	counts   map[string]int
	byLength map[int][]spelled
}

type spelled struct {
	word    string
	letters uint64
	count   int
}

func newSpeller() *speller {
	return &speller{counts: map[string]int{}, byLength: map[int][]spelled{}}
}

// count adds words that were seen n times.
func (sp *speller) count(words []string, n int) {
	for _, w := range words {
		sp.counts[w] += n
	}
}

// finish makes the words ready to be compared.
func (sp *speller) finish() {
	for word, n := range sp.counts {
		if len(word) >= 3 {
			sp.byLength[len(word)] = append(sp.byLength[len(word)], spelled{word, letters(word), n})
		}
	}
	for _, list := range sp.byLength {
		slices.SortFunc(list, func(a, b spelled) int { return cmp.Compare(a.word, b.word) })
	}
	sp.counts = nil
}

// maxSpelt is the longest word in bytes that is spelt for anybody.
const maxSpelt = 40

func letters(word string) (set uint64) {
	for i := range len(word) {
		set |= 1 << (word[i] & 63)
	}
	return set
}

// guess is a word that may have been meant.
type guess struct {
	word  string
	score float64
}

// near gives up to three words at a distance of one change (two in a long word).
func (sp *speller) near(word string) []Other {
	if len(word) < 4 || len(word) > maxSpelt {
		return nil
	}
	limit := 1
	if len(word) >= 7 {
		limit = 2
	}
	var found []guess
	set := letters(word)
	for n := len(word) - limit; n <= len(word)+limit; n++ {
		for _, c := range sp.byLength[n] {
			if bits.OnesCount64(c.letters^set) > 2*limit {
				continue
			}
			d := distance(word, c.word, limit)
			if d > limit {
				continue
			}
			score := math.Log(1+float64(c.count)) - 4*float64(d-1)
			if c.word[0] != word[0] {
				score -= 2
			}
			found = append(found, guess{c.word, score})
		}
	}
	slices.SortFunc(found, func(a, b guess) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.word, b.word))
	})
	var out []Other
	for i, c := range found[:min(3, len(found))] {
		out = append(out, Other{c.word, math.Pow(0.6, float64(i))})
	}
	return out
}

// distance counts changes, swaps of neighbours as one; limit+1 when there are more.
func distance(a, b string, limit int) int {
	var rows [3][maxSpelt + 3]int
	older, before, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		older, before, row = before, row, older
		row[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(before[j]+1, row[j-1]+1, before[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
			best = min(best, row[j])
		}
		if best > limit {
			return limit + 1
		}
	}
	return row[len(b)]
}
