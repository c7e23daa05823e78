package yardstick_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/services/docs/internal/corpus"
	"github.com/comporta-mcp/comporta/services/docs/internal/index"
	"github.com/comporta-mcp/comporta/services/docs/internal/lexicon"
	"github.com/comporta-mcp/comporta/services/docs/internal/page"
	"github.com/comporta-mcp/comporta/services/docs/internal/yardstick"
)

// folder finds the test corpora, which lie beside the project where they are.
func folder(b testing.TB) string {
	b.Helper()
	dir, err := filepath.Abs("../../../../../shared/corpus")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "manifest.jsonl")); err != nil {
		b.Skip("the test corpora are not here: ../shared/corpus beside the project")
	}
	return dir
}

type question struct{ Corpus, Query string }

func questions(b testing.TB, dir string) []question {
	b.Helper()
	file, err := os.Open(filepath.Join(dir, "relevance-dev.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	var out []question
	for s := bufio.NewScanner(file); s.Scan(); {
		var q question
		if err := json.Unmarshal(s.Bytes(), &q); err != nil {
			b.Fatal(err)
		}
		out = append(out, q)
	}
	return out
}

func pages(b testing.TB, c corpus.Collection) []page.Page {
	b.Helper()
	var out []page.Page
	for _, s := range c.Sources {
		p, err := (&corpus.Fetcher{}).Fetch(b.Context(), s)
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, p.Pages...)
	}
	return out
}

// prepared reads all pages; asking Index of one gives an index that has met no question.
func prepared(b testing.TB, dir string) (map[string]*index.Prepared, map[string]bool) {
	b.Helper()
	words, err := lexicon.Load()
	if err != nil {
		b.Fatal(err)
	}
	out, fold := map[string]*index.Prepared{}, map[string]bool{}
	for _, c := range yardstick.Config(dir).Collections {
		out[c.Tool], fold[c.Tool] = index.Prepare(pages(b, c), words), c.Fold
	}
	return out, fold
}

func indexes(all map[string]*index.Prepared, fold map[string]bool) map[string]*index.Index {
	out := map[string]*index.Index{}
	for tool, p := range all {
		out[tool] = p.Index(index.Options{Fold: fold[tool]})
	}
	return out
}

// BenchmarkSearch asks the questions of all corpora, of ours and of plain bleve in
// one run: the ratio is what counts.
func BenchmarkSearch(b *testing.B) {
	dir := folder(b)
	asked := questions(b, dir)
	documents, err := yardstick.Documents(dir)
	if err != nil {
		b.Fatal(err)
	}
	plain, err := yardstick.NewBleve(b.TempDir(), documents)
	if err != nil {
		b.Fatal(err)
	}
	read, fold := prepared(b, dir)
	ours := indexes(read, fold)
	search := func(q question) {
		tool, language := yardstick.Tool(q.Corpus)
		ours[tool].Search(q.Query, language, 5)
	}
	b.Run("ours", func(b *testing.B) { ask(b, asked, search) })
	// An index remembers what words mean: here it has met none of them.
	b.Run("ours-unmet", func(b *testing.B) {
		n := 0
		ask(b, asked, func(q question) {
			if n++; n%len(asked) == 0 {
				b.StopTimer()
				ours = indexes(read, fold)
				b.StartTimer()
			}
			search(q)
		})
	})
	bleve := func(q question) {
		if _, err := plain.Search(q.Corpus, q.Query, 5); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("bleve", func(b *testing.B) { ask(b, asked, bleve) })
	// On a machine that is busy only questions that are asked in turn compare.
	b.Run("in-turn", func(b *testing.B) {
		var took [2][]time.Duration
		for i := 0; b.Loop(); i++ {
			for who, one := range []func(question){search, bleve} {
				start := time.Now()
				one(asked[i%len(asked)])
				took[who] = append(took[who], time.Since(start))
			}
		}
		for who, name := range []string{"ours", "bleve"} {
			var all time.Duration
			for _, one := range took[who] {
				all += one
			}
			b.ReportMetric(float64(len(took[who]))/all.Seconds(), name+"-queries/s")
			slices.Sort(took[who])
			b.ReportMetric(float64(took[who][len(took[who])/2].Microseconds()), name+"-median-µs")
			b.ReportMetric(float64(took[who][len(took[who])*99/100].Microseconds()), name+"-p99-µs")
		}
	})
}

func ask(b *testing.B, asked []question, one func(question)) {
	took := make([]time.Duration, 0, 1024)
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		one(asked[i%len(asked)])
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(len(took))/b.Elapsed().Seconds(), "queries/s")
}

// BenchmarkBuild makes the indexes of all corpora from pages that are read
// already, and tells what they keep.
func BenchmarkBuild(b *testing.B) {
	dir := folder(b)
	words, err := lexicon.Load()
	if err != nil {
		b.Fatal(err)
	}
	all := map[string][]page.Page{}
	configured := yardstick.Config(dir).Collections
	for _, c := range configured {
		all[c.Tool] = pages(b, c)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept := map[string]*index.Index{}
	for b.Loop() {
		for _, c := range configured {
			kept[c.Tool] = index.New(all[c.Tool], words, index.Options{Fold: c.Fold})
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MiB-kept")
	runtime.KeepAlive(kept)
}

// BenchmarkRead reads all files of all corpora.
func BenchmarkRead(b *testing.B) {
	dir := folder(b)
	for b.Loop() {
		for _, c := range yardstick.Config(dir).Collections {
			pages(b, c)
		}
	}
}
