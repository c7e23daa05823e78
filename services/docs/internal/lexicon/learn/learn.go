// Package learn makes a bridge between two languages from pages that exist in
// both: which words of one stand where which words of the other do. It knows
// pages and words; the file format is lexicon's.
package learn

import (
	"cmp"
	"math"
	"slices"

	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// Pair is a word and what it likely means.
type Pair struct {
	From, To string
	// Weight is up to 1: the mean (geometric) of the shares that both directions
	// give. A chance neighbour has a large share in one of them only.
	Weight float64
}

// Options bound what is kept.
type Options struct {
	Rounds   int     // of expectation and maximisation
	MinCount int     // a word must stand in so many segments
	MinShare float64 // a meaning must have this share of the word's meanings
	Meanings int     // at most so many a word
}

// Pages learns from pages and their translations, joined by Twin.
func Pages(from, to []page.Page, o Options) []Pair {
	twins := map[string]*page.Page{}
	for i := range to {
		if to[i].Twin != "" {
			twins[to[i].Twin] = &to[i]
		}
	}
	var segments []segment
	names := newNames()
	for i := range from {
		if twin := twins[from[i].Twin]; twin != nil {
			segments = appendSegments(segments, names, &from[i], twin)
		}
	}
	return names.pairs(align(segments, o.Rounds), align(flipped(segments), o.Rounds), segments, o)
}

// align is IBM model 1: the chance of each right word, given each left one.
func align(segments []segment, rounds int) map[[2]int]float64 {
	chance := map[[2]int]float64{}
	for _, s := range segments {
		for _, f := range s.from {
			for _, t := range s.to {
				chance[[2]int{f, t}] = 1
			}
		}
	}
	for range rounds {
		counts, totals := map[[2]int]float64{}, map[int]float64{}
		for _, s := range segments {
			for _, t := range s.to {
				sum := 0.0
				for _, f := range s.from {
					sum += chance[[2]int{f, t}]
				}
				for _, f := range s.from {
					share := chance[[2]int{f, t}] / sum
					counts[[2]int{f, t}] += share
					totals[f] += share
				}
			}
		}
		for k, n := range counts {
			chance[k] = n / totals[k[0]]
		}
	}
	return chance
}

func flipped(segments []segment) []segment {
	out := make([]segment, len(segments))
	for i, s := range segments {
		out[i] = segment{from: s.to, to: s.from}
	}
	return out
}

// pairs keeps what both directions agree on.
func (n *names) pairs(there, back map[[2]int]float64, segments []segment, o Options) []Pair {
	seen := map[int]int{}
	for _, s := range segments {
		for _, f := range s.from {
			seen[f]++
		}
	}
	meanings := map[int][]Pair{}
	for k, p := range there {
		f, t := k[0], k[1]
		if seen[f] < o.MinCount || p < o.MinShare || back[[2]int{t, f}] < o.MinShare/2 {
			continue
		}
		meanings[f] = append(meanings[f], Pair{n.from.common(f), n.to.common(t), math.Sqrt(p * back[[2]int{t, f}])})
	}
	var out []Pair
	for _, list := range meanings {
		slices.SortFunc(list, func(a, b Pair) int { return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.To, b.To)) })
		for _, p := range list[:min(o.Meanings, len(list))] {
			if p.Weight >= o.MinShare && p.From != p.To {
				out = append(out, p)
			}
		}
	}
	slices.SortFunc(out, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.To, b.To))
	})
	return out
}
