package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// group is a row of the scorer's JSON; "*" stands for all.
type group struct {
	Corpus, Lang string
	N            int
	NDCG         float64 `json:"ndcg5"`
	MRR          float64 `json:"mrr10"`
	Recall       float64 `json:"recall5"`
	Missing      int
}

type row struct{ corpus, lang string }

type scores map[row]group

// score runs the scorer of the corpora on a run file.
func score(ctx context.Context, o options, system string) (scores, error) {
	cmd := exec.CommandContext(ctx, "go", "run", ".", "-json", "-rel", o.queries, "-run", o.run(system))
	cmd.Dir = filepath.Join(o.corpus, "score")
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var told struct{ Groups []group }
	if err := json.Unmarshal(out, &told); err != nil {
		return nil, err
	}
	table := scores{}
	for _, g := range told.Groups {
		table[row{g.Corpus, g.Lang}] = g
	}
	return table, nil
}

// printTable puts the systems side by side, one row per corpus and language.
func printTable(w io.Writer, systems []system, tables []scores) {
	fmt.Fprintf(w, "\n%-12s %-6s %4s", "corpus", "lang", "n")
	for _, s := range systems {
		fmt.Fprintf(w, "  | %-8s nDCG@5 MRR@10 rec@5", s.name)
	}
	fmt.Fprintln(w)
	var rows []row
	for r := range tables[0] {
		rows = append(rows, r)
	}
	last := func(s string) string { // "*" after every name
		if s == "*" {
			return "\uffff"
		}
		return s
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(last(a.corpus), last(b.corpus)), cmp.Compare(last(a.lang), last(b.lang)))
	})
	for _, r := range rows {
		fmt.Fprintf(w, "%-12s %-6s %4d", r.corpus, r.lang, tables[0][r].N)
		for _, t := range tables {
			fmt.Fprintf(w, "  |          %6.3f %6.3f %5.3f", t[r].NDCG, t[r].MRR, t[r].Recall)
		}
		fmt.Fprintln(w)
	}
}
