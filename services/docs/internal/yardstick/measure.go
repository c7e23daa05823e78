package yardstick

import (
	"cmp"
	"math"
	"slices"
)

// The depths of the measures, and the grade of a document that answers.
const (
	ndcgDepth   = 5
	mrrDepth    = 10
	recallDepth = 5
	answers     = 2
)

// Measures are those of the corpora's own scorer, for one question or as means.
type Measures struct{ NDCG, MRR, Recall float64 }

// Measure scores a ranking, best document first, as the scorer beside the corpora does.
func Measure(ranked []string, relevant map[string]int) Measures {
	ranked = once(ranked)
	return Measures{
		NDCG: gains(grades(ranked, relevant)) / max(gains(ideal(relevant)), math.SmallestNonzeroFloat64),
		MRR:  reciprocal(ranked, relevant), Recall: recall(ranked, relevant),
	}
}

// once keeps the first place of each document.
func once(ranked []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(ranked), func(doc string) bool {
		again := seen[doc]
		seen[doc] = true
		return again
	})
}

func grades(ranked []string, relevant map[string]int) []int {
	out := make([]int, len(ranked))
	for i, doc := range ranked {
		out[i] = relevant[doc]
	}
	return out
}

func ideal(relevant map[string]int) []int {
	var out []int
	for _, grade := range relevant {
		out = append(out, grade)
	}
	slices.SortFunc(out, func(a, b int) int { return cmp.Compare(b, a) })
	return out
}

func gains(grades []int) (sum float64) {
	for i, grade := range grades[:min(ndcgDepth, len(grades))] {
		sum += (math.Exp2(float64(grade)) - 1) / math.Log2(float64(i)+2)
	}
	return sum
}

func reciprocal(ranked []string, relevant map[string]int) float64 {
	for i, doc := range ranked[:min(mrrDepth, len(ranked))] {
		if relevant[doc] >= answers {
			return 1 / float64(i+1)
		}
	}
	return 0
}

func recall(ranked []string, relevant map[string]int) float64 {
	found, all := 0, 0
	for _, grade := range relevant {
		if grade >= answers {
			all++
		}
	}
	for _, doc := range ranked[:min(recallDepth, len(ranked))] {
		if relevant[doc] >= answers {
			found++
		}
	}
	return float64(found) / float64(max(1, min(all, recallDepth)))
}

// Mean is the mean of measures; zero of none.
func Mean(all []Measures) (m Measures) {
	for _, one := range all {
		m.NDCG += one.NDCG
		m.MRR += one.MRR
		m.Recall += one.Recall
	}
	n := float64(max(1, len(all)))
	return Measures{m.NDCG / n, m.MRR / n, m.Recall / n}
}
