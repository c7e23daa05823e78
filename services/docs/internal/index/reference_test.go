package index_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
	"github.com/comporta-mcp/comporta/services/docs/internal/index"
	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// reference scores pages as docs/adr/0015 says, slowly and straight on: each page
// has a title and passages without headings, and words are their own stems.
type reference struct {
	p     index.Params
	pages []page.Page
}

func (r reference) terms(text string) []string {
	var out []string
	analysis.English.Terms(text, func(t string) { out = append(out, t) })
	return out
}

// amount is BM25F's: repeats in all fields, boosted and damped by length.
func amount(term string, texts [][]string, fields []index.Field, average []float64) (sum float64) {
	for i, text := range texts {
		n := 0
		for _, t := range text {
			if t == term {
				n++
			}
		}
		f := fields[i]
		sum += f.Boost * float64(n) / (1 - f.Length + f.Length*float64(len(text))/average[i])
	}
	return sum
}

func averages(all [][][]string, fields int) []float64 {
	out := make([]float64, fields)
	for _, texts := range all {
		for f, text := range texts {
			out[f] += float64(len(text)) / float64(len(all))
		}
	}
	for f := range out {
		out[f] = max(out[f], 1)
	}
	return out
}

// scores gives each page's for a question of different words.
func (r reference) scores(question string) map[string]float64 {
	var whole [][][]string
	var parts [][][][]string
	var allParts [][][]string
	for _, p := range r.pages {
		title := r.terms(p.Title)
		var body []string
		var mine [][][]string
		for _, passage := range p.Passages {
			text := r.terms(passage.Text)
			body = append(body, text...)
			mine = append(mine, [][]string{title, text})
		}
		whole = append(whole, [][]string{title, nil, nil, r.terms(p.Path), nil, body})
		parts, allParts = append(parts, mine), append(allParts, mine...)
	}
	inPages, inParts := averages(whole, 6), averages(allParts, 2)
	out := map[string]float64{}
	for i, p := range r.pages {
		var total, found, score float64
		pieces := make([]float64, len(parts[i]))
		for _, term := range r.terms(question) {
			df := 0.0
			for _, texts := range whole {
				if slices.Contains(slices.Concat(texts...), term) {
					df++
				}
			}
			n := float64(len(r.pages))
			idf := math.Log(1 + n)
			if df > 0 {
				idf = math.Log(1 + (n-df+0.5)/(df+0.5))
			}
			total += idf
			amt := amount(term, whole[i], r.p.Page[:], inPages)
			found += idf * min(1, amt)
			score += idf * amt * (r.p.K1 + 1) / (r.p.K1 + amt)
			for j, texts := range parts[i] {
				amt := amount(term, texts, r.p.Piece[:], inParts)
				pieces[j] += idf * amt * (r.p.PieceK1 + 1) / (r.p.PieceK1 + amt)
			}
		}
		slices.SortFunc(pieces, func(a, b float64) int { return cmp.Compare(b, a) })
		score += r.p.PieceShare * (pieces[0] + r.p.NextPiece*pieces[1])
		if score *= math.Pow(min(1, found/total), r.p.Cover); score > 0 {
			out[p.Path] = score
		}
	}
	return out
}

// TestScoresAreThoseOfTheFormula compares the index, with its lists and bounds,
// with the formula on pages of random words.
func TestScoresAreThoseOfTheFormula(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	some := func(n int) string {
		var out []string
		for range n {
			out = append(out, fmt.Sprintf("w%d", int(random.ExpFloat64()*8)))
		}
		return strings.Join(out, " ")
	}
	var pages []page.Page
	for i := range 80 {
		pages = append(pages, page.Page{Path: fmt.Sprintf("p%d", i), Lang: "en", Title: some(3),
			Passages: []page.Passage{{Text: some(12)}, {Text: some(30)}, {Text: some(5)}}})
	}
	p := index.Tuned()
	p.Near, p.NearTitle = 0, 0
	ix := index.New(pages, words{}, index.Options{Params: p})
	for _, question := range []string{"w0", "w3 w9", "w1 w2 w4 w20", "w30 w0 w31", "w7 missing"} {
		want := reference{p, pages}.scores(question)
		hits := ix.Search(question, "", len(pages))
		if len(hits) != len(want) {
			t.Errorf("%q: %d pages, want %d", question, len(hits), len(want))
		}
		best := slices.Max(slices.Collect(maps.Values(want)))
		for _, h := range hits {
			// Where next to nothing of a question is found, the factor for that is a straight line.
			if w := want[h.Page.Path]; math.Abs(h.Score-w) > 0.002*w+0.001*best {
				t.Errorf("%q: %s scores %v, want %v", question, h.Page.Path, h.Score, w)
			}
		}
	}
}

// TestWhatIsSkippedWouldNotHaveBeenAmongTheBest: who asks for few gets the first of
// what all would be, with the same scores.
func TestWhatIsSkippedWouldNotHaveBeenAmongTheBest(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	var pages []page.Page
	for i := range 400 {
		var passages []page.Passage
		for range 1 + random.IntN(6) {
			var body strings.Builder
			for range random.IntN(1 + i%40) {
				fmt.Fprintf(&body, "w%d ", random.IntN(30))
			}
			passages = append(passages, page.Passage{Headings: []string{"Above", fmt.Sprintf("w%d", random.IntN(30))}, Text: body.String()})
		}
		lang := []string{"en", "pt", "es"}[i%3]
		pages = append(pages, page.Page{Path: fmt.Sprint(i), Lang: lang, Twin: fmt.Sprint(i / 3), Weight: 0.5 + random.Float64(),
			Title: fmt.Sprintf("w%d w%d", random.IntN(30), random.IntN(30)), Passages: passages})
	}
	w := words{others: map[string][]index.Other{}} // each third word has others, as good as itself or less
	for i := range 10 {
		for _, langs := range []string{"en en", "pt pt", "es es"} {
			w.others[fmt.Sprintf("%s w%d", langs, i*3)] = []index.Other{{Word: fmt.Sprintf("w%d", i*2), Weight: 1}, {Word: fmt.Sprintf("w%d", 29-i), Weight: max(0, random.Float64()-0.3)}}
		}
	}
	params := index.Tuned()
	params.Synonym, params.PieceShare, params.PieceK1 = 1, 20, 10 // what bounds are about counts most
	for _, fold := range []bool{false, true} {
		ix := index.New(pages, w, index.Options{Fold: fold, Params: params})
		for i := range 100 {
			question := fmt.Sprintf("w%d w%d w%d", i%30, (i*7)%30, (i*13+5)%30)
			lang := []string{"", "en", "pt", "es"}[i%4]
			all := ix.Search(question, lang, len(pages))
			for _, n := range []int{1, 5, 20} {
				if few := ix.Search(question, lang, n); !slices.Equal(few, all[:n]) {
					t.Errorf("fold %v, %q in %q: the best %d are not the first of all", fold, question, lang, n)
				}
			}
		}
	}
}

// TestWordsOfOneMeaningInDifferentPassagesPromiseNoPassageWithAll: the page that has
// them scattered has more of them, and no passage as good as the other page's.
func TestWordsOfOneMeaningInDifferentPassagesPromiseNoPassageWithAll(t *testing.T) {
	pages := []page.Page{
		{Path: "scattered", Lang: "en", Title: "Knots", Passages: []page.Passage{{Text: "bowline"}, {Text: "hitch"}, {Text: "bend"}, {Text: "splice"}}},
		{Path: "together", Lang: "en", Title: "Knots", Passages: []page.Passage{{Text: "bowline hitch bend"}}},
	}
	for i := range 20 {
		pages = append(pages, text(fmt.Sprint(i), "Weather", "Wind and rain."))
	}
	w := words{others: map[string][]index.Other{"en en bowline": {{Word: "hitch", Weight: 1}, {Word: "bend", Weight: 1}, {Word: "splice", Weight: 1}}}}
	p := index.Tuned()
	p.Synonym, p.PieceShare, p.PieceK1 = 1, 20, 10
	ix := index.New(pages, w, index.Options{Params: p})
	if got := paths(ix.Search("bowline", "", 2)); got != "together scattered" {
		t.Errorf("both are %s", got)
	}
	if got := paths(ix.Search("bowline", "", 1)); got != "together" {
		t.Errorf("the best is %s", got)
	}
}
