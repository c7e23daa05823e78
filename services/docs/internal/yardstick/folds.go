package yardstick

import (
	"context"

	"github.com/comporta-mcp/comporta/services/docs/internal/index"
)

// passes is how often all knobs are gone through.
const passes = 2

// Fold is one part of the questions that took no part in setting the numbers.
type Fold struct {
	Params index.Params
	// Seen are the measures on the questions that set Params, Unseen on the others.
	Seen, Unseen Measures
	// Each are the measures of the unseen questions, by their place in the file.
	Each map[int]Measures
}

// CrossValidate sets the numbers anew for each of n folds, from Textbook by
// coordinate ascent on the other questions' nDCG@5, and measures them on the fold.
// Question i is of fold i mod n. told hears of each fold that is done.
func (b *Bench) CrossValidate(ctx context.Context, questions []Question, n int, told func(Fold)) ([]Fold, error) {
	asked := map[index.Params][]Measures{}
	ask := func(p index.Params) []Measures {
		if asked[p] == nil {
			asked[p] = b.Ask(p, questions)
		}
		return asked[p]
	}
	var out []Fold
	for fold := range n {
		unseen := func(i int) bool { return i%n == fold }
		p, err := ascend(ctx, func(p index.Params) float64 { return seen(ask(p), unseen).NDCG })
		if err != nil {
			return nil, err
		}
		f := Fold{Params: p, Seen: seen(ask(p), unseen), Unseen: seen(ask(p), func(i int) bool { return !unseen(i) }), Each: map[int]Measures{}}
		for i, m := range ask(p) {
			if unseen(i) {
				f.Each[i] = m
			}
		}
		out = append(out, f)
		told(f)
	}
	return out, nil
}

// ascend changes one number at a time for the better.
func ascend(ctx context.Context, worth func(index.Params) float64) (index.Params, error) {
	best := Textbook()
	most := worth(best)
	for range passes {
		before := best
		for _, k := range knobs {
			for _, value := range k.values {
				if ctx.Err() != nil {
					return best, context.Cause(ctx)
				}
				try := best
				*k.of(&try) = value
				if w := worth(try); w > most {
					best, most = try, w
				}
			}
		}
		if best == before {
			break
		}
	}
	return best, nil
}

// seen is the mean of all but the unseen.
func seen(all []Measures, unseen func(int) bool) Measures {
	var out []Measures
	for i, m := range all {
		if !unseen(i) {
			out = append(out, m)
		}
	}
	return Mean(out)
}
