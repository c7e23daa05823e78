package config

import (
	"fmt"
	"strings"
)

// Fault is one thing wrong with one setting. It never holds a secret's value.
type Fault struct {
	Key    string // "nats.url"; "" for the configuration as a whole
	Origin string // "COMPORTA_NATS_URL", "comporta.yaml:12", "--nats.url"; "" where no one place is to blame
	What   string
}

// String names the setting, where its value came from, and what is wrong.
func (f Fault) String() string {
	var parts []string
	if f.Key != "" {
		parts = append(parts, f.Key)
	}
	if f.Origin != "" && f.Origin != f.Key {
		parts = append(parts, "("+f.Origin+")")
	}
	if len(parts) == 0 {
		return f.What
	}
	return strings.Join(parts, " ") + ": " + f.What
}

// Error is a configuration with faults: all of them, in a stable order.
type Error struct{ Faults []Fault }

// Error lists the faults, one a line.
func (e *Error) Error() string {
	lines := make([]string, 0, len(e.Faults)+1)
	lines = append(lines, "the configuration has faults; nothing was started:")
	for _, f := range e.Faults {
		lines = append(lines, "  "+f.String())
	}
	return strings.Join(lines, "\n")
}

func (l *loader) fault(key, origin, format string, args ...any) {
	l.faults = append(l.faults, Fault{Key: key, Origin: origin, What: fmt.Sprintf(format, args...)})
}

// nearest gives the candidate that differs least from name, or "" where none is near.
func nearest(name string, candidates []string) string {
	best, bestCost := "", max(2, len(name)/3)+1
	for _, c := range candidates {
		if cost := distance(name, c); cost < bestCost {
			best, bestCost = c, cost
		}
	}
	return best
}

// hint turns nearest's answer into the end of a sentence.
func hint(name string, candidates []string) string {
	if n := nearest(name, candidates); n != "" {
		return fmt.Sprintf("; did you mean %s?", n)
	}
	return "; --help lists all"
}

// distance is the Levenshtein distance in bytes; names are ASCII.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
