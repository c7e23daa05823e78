package shape

import "strings"

// maxWord bounds the words that are compared: a longer one is no misspelling.
const maxWord = 64

// Nearest gives the known word that word is most likely a misspelling of; ""
// where none is close.
func Nearest(word string, known []string) string {
	if len(word) > maxWord {
		return ""
	}
	lower := strings.ToLower(word)
	best, bestDistance := "", 1+max(1, len(word)/3)
	for _, k := range known {
		if len(k) > maxWord {
			continue
		}
		if d := distance(lower, strings.ToLower(k)); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// distance counts the letters to insert, drop, change or swap with the next one.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row := make([]int, len(y)+1)
		row[0] = i + 1
		for j := range y {
			cost := last[j]
			if x[i] != y[j] {
				cost++
			}
			row[j+1] = min(cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}
