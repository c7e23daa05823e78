package toolsearch

import "strings"

const (
	// maxTerms bounds one question; more words say no more.
	maxTerms = 24
	// likeMeaning is what a word of another language is worth beside the tool's own.
	likeMeaning = 0.9
	likePrefix  = 0.6
	likeSlip    = 0.5
)

// term is one word of a question: the words of tools that it may mean, and how
// likely each one is, up to 1.
type term map[string]float64

func (x *Index) terms(question string) []term {
	var terms []term
	for _, word := range split(question) {
		if x.words.empty[word] {
			continue
		}
		if t := x.term(word); len(t) > 0 && len(terms) < maxTerms {
			terms = append(terms, t)
		}
	}
	return terms
}

// term takes the word itself and what it means; only a word that is neither
// known is read as the beginning of one, or as a slip.
func (x *Index) term(word string) term {
	t := term{}
	if x.spread[word] > 0 {
		t[word] = 1
	}
	for _, meant := range x.words.meaning(word) {
		if x.spread[meant] > 0 {
			t[meant] = max(t[meant], likeMeaning)
		}
	}
	if len(t) > 0 {
		return t
	}
	for _, known := range x.known {
		switch {
		case len(word) >= 3 && strings.HasPrefix(known, word):
			t[known] = likePrefix
		case slip(word, known):
			t[known] = likeSlip
		}
	}
	if len(t) == 0 {
		// A word that nothing is known of still counts, so that tools which lack it
		// are not taken for a full match.
		t[word] = 1
	}
	return t
}

// slip reports whether one word is the other with a letter too many, too few,
// changed or swapped; two such in a long word.
func slip(a, b string) bool {
	allowed := min(len(a), len(b)) / 4
	return allowed > 0 && near(a, b, min(allowed, 2))
}

// near reports whether at most limit letters must be inserted, dropped, changed or
// swapped with the next one.
func near(a, b string, limit int) bool {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return false
	}
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		least := row[0]
		for j := range len(b) {
			cost := last[j]
			if a[i] != b[j] {
				cost++
			}
			row[j+1] = min(cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
			least = min(least, row[j+1])
		}
		if least > limit {
			return false
		}
		before, last = last, row
	}
	return last[len(b)] <= limit
}
