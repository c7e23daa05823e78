package main

import (
	"context"
	"fmt"

	"github.com/comporta-mcp/comporta/services/docs/internal/index"
	"github.com/comporta-mcp/comporta/services/docs/internal/lexicon"
	"github.com/comporta-mcp/comporta/services/docs/internal/yardstick"
)

// crossValidate prints what numbers are worth that other questions set.
func crossValidate(ctx context.Context, o options, questions []yardstick.Question) error {
	words, err := lexicon.Load()
	if err != nil {
		return err
	}
	bench, err := yardstick.NewBench(ctx, o.corpus, words)
	if err != nil {
		return err
	}
	fmt.Printf("%-34s nDCG@5 MRR@10 rec@5\n", "the scorer's numbers")
	row := func(name string, m yardstick.Measures) {
		fmt.Printf("%-34s %6.3f %6.3f %5.3f\n", name, m.NDCG, m.MRR, m.Recall)
	}
	row("of the textbook", yardstick.Mean(bench.Ask(yardstick.Textbook(), questions)))
	row("in use", yardstick.Mean(bench.Ask(index.Tuned(), questions)))
	var unseen []yardstick.Measures
	_, err = bench.CrossValidate(ctx, questions, o.folds, func(f yardstick.Fold) {
		row(fmt.Sprintf("fold of %d: on those that set them", len(f.Each)), f.Seen)
		row("            on the others", f.Unseen)
		for _, m := range f.Each {
			unseen = append(unseen, m)
		}
	})
	if err != nil {
		return err
	}
	row("all folds, on the others", yardstick.Mean(unseen))
	return nil
}
