package lexicon_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
	"github.com/comporta-mcp/comporta/services/docs/internal/index"
	"github.com/comporta-mcp/comporta/services/docs/internal/lexicon"
)

var en, pt, es = analysis.English, analysis.Portuguese, analysis.Spanish

// sea are data files as small as a test needs.
var sea = fstest.MapFS{
	"same-en.txt":          {Data: []byte("boat, ship, vessel # all float\nferry > boat 0.5\ntie up, moor\n\n# nothing\n")},
	"same-pt.txt":          {Data: []byte("barco, navio\n")},
	"pt-en.txt":            {Data: []byte("barco, navio = boat, craft 0.3\nmaré = tide\nnó = knot\nmaré cheia = high tide\n")},
	"pt-en.learned.txt":    {Data: []byte("ancora = anchor 0.8\n")},
	"es-en.txt":            {Data: []byte("ancla = anchor\n")},
	"same-en.products.txt": {Data: []byte("old harbour > new harbour\n")},
}

func sealed(t *testing.T) *lexicon.Lexicon {
	t.Helper()
	l, err := lexicon.Read(sea)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func told(others []index.Other) string {
	var out []string
	for _, o := range others {
		out = append(out, fmt.Sprintf("%s %.2f", o.Word, o.Weight))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func TestWordsThatStandForAWord(t *testing.T) {
	l := sealed(t)
	for _, c := range []struct {
		name, word string
		from, to   *analysis.Language
		want       string
	}{
		{"a group goes every way", "ships", en, en, "boat 1.00, vessel 1.00"},
		{"an arrow goes one way", "ferry", en, en, "boat 0.50"},
		{"its target does not lead back", "vessel", en, en, "boat 1.00, ship 1.00"},
		{"a translation brings its synonyms", "barcos", pt, en, "boat 1.00, craft 0.30, ship 0.50, vessel 0.50"},
		{"a sure one goes back, an unsure one does not", "boat", en, pt, "barco 0.45, barco 0.90, navio 0.45, navio 0.90"},
		{"not the unsure one", "craft", en, pt, ""},
		{"what was learnt is used as what was written", "ancora", pt, en, "anchor 0.80"},
		{"Spanish reaches Portuguese over English, and as it is", "ancla", es, pt, "ancla 0.90, ancora 0.72"},
		{"words with one translation mean the same", "navio", pt, pt, "barco 0.72, barco 1.00"},
		{"a Latin word is tried in its English spelling", "navegacion", es, en, "navegation 0.60"},
		{"an English word is not", "navigation", en, pt, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, told(l.Others(c.word, c.from, c.to))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPhrases(t *testing.T) {
	l := sealed(t)
	for _, c := range []struct {
		name, words string
		from, to    *analysis.Language
		want        string
	}{
		{"in the middle, with other endings", "how do i tie up boats", en, en, "3+2 moor"},
		{"with an accent typed or not", "a mare cheia", pt, en, "1+2 high tide"},
		{"a product and its new name", "old harbour", en, en, "0+2 new harbour"},
		{"not the words apart", "tie it up", en, en, ""},
		{"not in another language", "tie up", en, pt, ""},
		{"nothing", "", en, en, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			var stems []string
			for _, word := range strings.Fields(c.words) {
				stems = append(stems, c.from.Stem(word))
			}
			for _, p := range l.Phrases(stems, c.from, c.to) {
				got = append(got, fmt.Sprintf("%d+%d %s", p.At, p.Len, p.Word))
			}
			if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestKnownWordsAreNotSpeltAnew(t *testing.T) {
	l := sealed(t)
	for word, want := range map[string]bool{"ferries": true, "boat": true, "habour": false} {
		if got := l.Knows(word, en); got != want {
			t.Errorf("Knows(%q) is %v", word, got)
		}
	}
}

func TestFilesThatAreNone(t *testing.T) {
	for name, files := range map[string]fstest.MapFS{
		"a name without languages":     {"words.txt": {Data: []byte("a, b")}},
		"a translation without a sign": {"pt-en.txt": {Data: []byte("maré tide")}},
		"a language without rules":     {"fr-en.txt": {Data: []byte("mer = sea")}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := lexicon.Read(files); err == nil {
				t.Error("it was read")
			}
		})
	}
}

// TestTheShippedFilesAreInOrder: rows are data, and are checked as such.
func TestTheShippedFilesAreInOrder(t *testing.T) {
	if _, err := lexicon.Load(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("data/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no data files", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		scanner := bufio.NewScanner(bytes.NewReader(data))
		for n := 1; scanner.Scan(); n++ {
			row, _, _ := strings.Cut(scanner.Text(), "#")
			row = strings.TrimSpace(row)
			if row == "" {
				continue
			}
			if !utf8.ValidString(row) || strings.ToLower(row) != row {
				t.Errorf("%s:%d: %q is not lower case text", file, n, row)
			}
			if before := seen[row]; before != 0 {
				t.Errorf("%s:%d: %q stands in row %d, too", file, n, row, before)
			}
			seen[row] = n
			for cell := range strings.FieldsFuncSeq(row, func(r rune) bool { return strings.ContainsRune(",=>", r) }) {
				if strings.TrimSpace(cell) == "" {
					t.Errorf("%s:%d: %q has an empty word", file, n, row)
				}
			}
		}
	}
}

func FuzzOthers(f *testing.F) {
	l, err := lexicon.Load()
	if err != nil {
		f.Fatal(err)
	}
	for _, w := range []string{"", "autenticacion", "ção", "purge", "\xff", "ы"} {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, word string) {
		for _, from := range analysis.Languages {
			for _, to := range analysis.Languages {
				for _, o := range l.Others(analysis.Fold(word), from, to) {
					if o.Word == "" || o.Weight <= 0 || o.Weight > 1 {
						t.Errorf("%q from %s to %s gives %+v", word, from.Code, to.Code, o)
					}
				}
			}
		}
	})
}
