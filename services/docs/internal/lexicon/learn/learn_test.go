package learn_test

import (
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/services/docs/internal/lexicon/learn"
	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// pair makes a page and its translation, line by line.
func pair(twin, portuguese, english string) (page.Page, page.Page) {
	made := func(lang, text string) page.Page {
		return page.Page{Lang: lang, Twin: twin, Title: "", Passages: []page.Passage{{Text: text}}}
	}
	return made("pt-br", portuguese), made("en", english)
}

func TestWordsAreLearntFromPagesInTwoLanguages(t *testing.T) {
	var from, to []page.Page
	for _, p := range [][3]string{
		{"1", "barco azul\nbarco novo\nrede azul", "blue boat\nnew boat\nblue net"},
		{"2", "rede nova\nbarco azul\n```\nbarco codigo\n```", "new net\nblue boat\n```\nboat code\n```"},
		{"3", "rede", "net"},
	} {
		a, b := pair(p[0], p[1], p[2])
		from, to = append(from, a), append(to, b)
	}
	lonely, _ := pair("4", "farol", "")
	uneven, longer := pair("5", "ilha", "island\nsand")
	from, to = append(from, lonely, uneven), append(to, longer)
	got := map[string]string{}
	for _, p := range learn.Pages(from, to, learn.Options{Rounds: 8, MinCount: 2, MinShare: 0.3, Meanings: 1}) {
		if p.Weight <= 0 || p.Weight > 1 {
			t.Errorf("%+v: the weight is out of bounds", p)
		}
		got[p.From] = p.To
	}
	for word, want := range map[string]string{
		"barco": "boat", "azul": "blue", "rede": "net",
		"farol":  "", // its page has no translation
		"ilha":   "", // its lines do not pair
		"codigo": "", // code tells nothing
	} {
		if got[word] != want {
			t.Errorf("%s means %q, want %q (all: %v)", word, got[word], want, got)
		}
	}
}

func TestNothingIsLearntFromNothing(t *testing.T) {
	a, b := pair("1", strings.Repeat("barco ", 100), strings.Repeat("boat ", 100))
	if got := learn.Pages([]page.Page{a}, []page.Page{b}, learn.Options{Rounds: 2, MinCount: 2, MinShare: 0.1, Meanings: 2}); len(got) != 0 {
		t.Errorf("from one line: %v", got)
	}
	if got := learn.Pages(nil, nil, learn.Options{Rounds: 2}); len(got) != 0 {
		t.Errorf("from no page: %v", got)
	}
}
