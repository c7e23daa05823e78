package index_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
	"github.com/comporta-mcp/comporta/services/docs/internal/index"
	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// words is a lexicon as small as a test needs.
type words struct {
	others  map[string][]index.Other  // by "from to word"
	phrases map[string][]index.Phrase // by "from to words", at the start of the question
}

func (w words) Others(word string, from, to *analysis.Language) []index.Other {
	return w.others[from.Code+" "+to.Code+" "+word]
}

func (w words) Phrases(asked []string, from, to *analysis.Language) []index.Phrase {
	return w.phrases[from.Code+" "+to.Code+" "+strings.Join(asked, " ")]
}

func (words) Knows(string, *analysis.Language) bool { return false }

// text makes a page of one passage.
func text(path, title, body string) page.Page {
	return page.Page{Path: path, Lang: "en", Title: title, Passages: []page.Passage{{Text: body}}}
}

// in gives the page a language and a twin.
func in(p page.Page, lang, twin string) page.Page {
	p.Lang, p.Twin = lang, twin
	return p
}

func paths(hits []index.Hit) string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Page.Path)
	}
	return strings.Join(out, " ")
}

func TestWhatIsFoundAndInWhichOrder(t *testing.T) {
	pages := []page.Page{
		text("body", "Harbours", "A boat needs an anchor and a rope."),
		text("title", "The anchor", "It holds."),
		text("flag", "Commands", "Give --auto to moor without questions, or set `rope_length`."),
		text("other", "Weather", "Wind and rain."),
		{Path: "old", Lang: "en", Title: "Knots of old", Weight: 0.1, Passages: []page.Passage{{Text: "A bowline knot."}}},
		text("new", "Knots", "A bowline knot."),
	}
	w := words{
		others: map[string][]index.Other{"en en storm": {{Word: "wind", Weight: 1}}},
		phrases: map[string][]index.Phrase{
			"en en tie up":      {{At: 0, Len: 2, Other: index.Other{Word: "moor", Weight: 1}}},
			"en en what is out": {{At: 0, Len: 3, Other: index.Other{Word: "weather", Weight: 1}}},
		},
	}
	ix := index.New(pages, w, index.Options{})
	for _, c := range []struct{ name, query, want string }{
		{"a title counts more than a text", "anchor", "title body"},
		{"who has both words is before who has one", "rope anchor", "body title flag"},
		{"a flag is found whole", "--auto", "flag"},
		{"and by its word", "auto", "flag"},
		{"an identifier is found by its parts, behind whole words", "rope", "body flag"},
		{"a word with a mistake", "anhcor", "title body"},
		{"a synonym", "storm", "other"},
		{"a phrase with a small word", "tie up", "flag"},
		{"a phrase of small words", "what is out", "other"},
		{"a page that weighs less comes last", "bowline knot", "new old"},
		{"small words alone find nothing that lacks them", "the of", ""},
		{"nothing that any page has", "quixotic", ""},
		{"no words", "?! ---", ""},
		{"nothing", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, paths(ix.Search(c.query, "", 10))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheBestPassageIsTold(t *testing.T) {
	p := page.Page{Path: "p", Lang: "en", Title: "Knots", Passages: []page.Passage{
		{Text: "General things."}, {Headings: []string{"Bowline"}, Text: "A loop that holds."}, {Headings: []string{"Hitch"}, Text: "For poles."},
	}}
	hits := index.New([]page.Page{p, {Path: "bare", Lang: "en", Title: "Loop"}}, words{}, index.Options{}).Search("bowline loop", "", 5)
	if len(hits) != 2 || hits[0].Passage != &hits[0].Page.Passages[1] || hits[1].Passage != nil {
		t.Errorf("%+v", hits)
	}
}

func TestAHeadingThatHasNoTextOfItsOwnBelongsToItsPage(t *testing.T) {
	p := page.Page{Path: "p", Lang: "en", Title: "Knots", Passages: []page.Passage{
		{Headings: []string{"Loops", "Bowline"}, Text: "It holds."}, {Headings: []string{"Loops", "Splice"}, Text: "For good."},
	}}
	hits := index.New([]page.Page{text("other", "Weather", "Wind."), p}, words{}, index.Options{}).Search("loops", "", 5)
	if paths(hits) != "p" || hits[0].Passage != &hits[0].Page.Passages[0] {
		t.Errorf("%+v", hits)
	}
}

func TestAPassageThatManyPagesShareTellsNothing(t *testing.T) {
	var pages []page.Page
	for i := range 9 {
		pages = append(pages, page.Page{Path: fmt.Sprint(i), Lang: "en", Title: fmt.Sprintf("Command n%d", i),
			Passages: []page.Passage{{Text: "--help prints help."}, {Text: fmt.Sprintf("does n%d", i)}}})
	}
	if got := paths(index.New(pages, words{}, index.Options{}).Search("prints", "", 10)); got != "" {
		t.Errorf("found %s", got)
	}
}

func TestPagesAndTheirTranslations(t *testing.T) {
	pages := []page.Page{
		in(text("tide-en", "Tide", "The moon pulls."), "en", "tide"), in(text("tide-pt", "Maré", "A lua puxa."), "pt-br", "tide"),
		in(text("boat-en", "Boat", "It floats."), "en", "boat"), in(text("boat-pt", "Barco", "Ele boia."), "pt-br", "boat"),
	}
	w := words{others: map[string][]index.Other{"pt en mare": {{Word: "tide", Weight: 1}}}}
	for _, c := range []struct {
		name, query, lang string
		fold              bool
		want              string
	}{
		{"a page and its translation are one result", "tide moon lua", "", true, "tide-en"},
		{"the page in the question's language is the one", "a maré", "", true, "tide-pt"},
		{"without fold both are found", "a maré", "", false, "tide-pt tide-en"},
		{"only a language that is wanted", "a maré", "en", false, "tide-en"},
		{"a wanted page is found by its translation's words", "moon", "pt-br", true, "tide-pt"},
		{"not without fold", "moon", "pt-br", false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			ix := index.New(pages, w, index.Options{Fold: c.fold})
			if diff := cmp.Diff(c.want, paths(ix.Search(c.query, c.lang, 10))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestATranslationInALanguageOfFewPagesIsShownToWhoAsksInIt(t *testing.T) {
	pages := []page.Page{in(text("tide-en", "Tide", "The moon pulls twice."), "en", "tide"), in(text("tide-pt", "Maré", "A lua puxa."), "pt-br", "tide")}
	for i := range 200 {
		pages = append(pages, text(fmt.Sprint(i), "Boat", "It floats."))
	}
	w := words{others: map[string][]index.Other{"pt en mare": {{Word: "tide", Weight: 1}}, "pt en lua": {{Word: "moon", Weight: 1}}, "pt en puxa": {{Word: "pulls", Weight: 1}}}}
	ix := index.New(pages, w, index.Options{Fold: true})
	for query, want := range map[string]string{"a maré que a lua puxa": "tide-pt", "the tide that the moon pulls": "tide-en"} {
		if got := paths(ix.Search(query, "", 5)); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

func TestSearchesDoNotDisturbEachOther(t *testing.T) {
	var pages []page.Page
	for i := range 300 {
		pages = append(pages, text(fmt.Sprintf("%03d", i), fmt.Sprintf("Page w%d", i%7), fmt.Sprintf("w%d w%d harbour w%d", i%11, i%13, i%17)))
	}
	ix := index.New(pages, words{}, index.Options{})
	queries := []string{"w1 harbour", "w2 w3 w4", "harbour", "w16", "nothing", "w5 w6 w7 w8 w9 w10"}
	first := map[string][]index.Hit{}
	for _, q := range queries {
		first[q] = ix.Search(q, "", 20)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 200 {
				q := queries[i%len(queries)]
				if got := ix.Search(q, "", 20); !slices.Equal(got, first[q]) {
					t.Errorf("%q finds %s, and alone %s", q, paths(got), paths(first[q]))
				}
			}
		})
	}
	wg.Wait()
}

func TestResultsAreBounded(t *testing.T) {
	var pages []page.Page
	for i := range 100 {
		pages = append(pages, text(fmt.Sprintf("%03d", i), "Equal words", fmt.Sprintf("equal words n%d", i)))
	}
	ix := index.New(pages, words{}, index.Options{})
	for n, want := range map[int]int{0: 0, 1: 1, 20: 20} {
		hits := ix.Search("equal words", "", n)
		if len(hits) != want {
			t.Errorf("%d were asked for, %d came", n, len(hits))
		}
		for i, h := range hits {
			if h.Page.Path != fmt.Sprintf("%03d", i) || h.Share <= 0 || h.Share > 1 {
				t.Errorf("place %d: %s with a share of %v; pages that are alike come by their path", i, h.Page.Path, h.Share)
			}
		}
	}
}

func TestAnIndexOfNothing(t *testing.T) {
	ix := index.New(nil, words{}, index.Options{Fold: true})
	if hits := ix.Search("anything", "", 5); len(hits) != 0 || len(ix.Languages()) != 0 {
		t.Errorf("%v in %v", hits, ix.Languages())
	}
}

func FuzzSearch(f *testing.F) {
	for _, q := range []string{"", "tide", "--auto", "a_b.c/d", "\xff\xfe", "é́ ﬁ İ", strings.Repeat("anchor ", 300), "👩‍👩‍👧 潮汐", "\u202eedit\u0000"} {
		f.Add(q, "en", 5)
	}
	pages := []page.Page{
		in(text("tide-en", "Tide --auto", "The moon pulls a_b.c/d."), "en", "tide"), in(text("tide-pt", "Maré", "A lua puxa."), "pt-br", "tide"),
		{Path: "bare", Lang: "es", Title: "Ancla"},
	}
	ix := index.New(pages, words{}, index.Options{Fold: true})
	f.Fuzz(func(t *testing.T, query, lang string, n int) {
		n = min(max(n, 0), 50)
		hits := ix.Search(query, lang, n)
		if len(hits) > n {
			t.Errorf("%d hits, at most %d were asked for", len(hits), n)
		}
		for _, h := range hits {
			if h.Share < 0 || h.Share > 1 || h.Score < 0 || h.Page == nil {
				t.Errorf("%q: %+v", query, h)
			}
		}
	})
}
