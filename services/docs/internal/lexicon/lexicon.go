// Package lexicon knows which words stand for which: synonyms and product names
// within a language, and the bridge from Portuguese and Spanish words to English
// pages and back. Its data are files beside it; the code knows no word.
package lexicon

import (
	"bufio"
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
	"github.com/comporta-mcp/comporta/services/docs/internal/index"
)

//go:embed data
var shipped embed.FS

// pair is two languages, from and to.
type pair struct{ from, to string }

// phrase is several words that mean something together.
type phrase struct {
	stems  []string
	others []index.Other
}

// Lexicon is the loaded data. It does not change, but for what it remembers.
type Lexicon struct {
	words   map[pair]map[string][]index.Other // by stem of the language asked in
	phrases map[pair]map[string][]phrase      // by their first stem
	known   map[string]map[string]bool

	stemmed sync.Map
	stems   atomic.Int64 // in stemmed
}

// Load reads the shipped data.
func Load() (*Lexicon, error) {
	data, err := fs.Sub(shipped, "data")
	if err != nil {
		return nil, err
	}
	return Read(data)
}

// Read reads the files of a folder. Their names tell what they are:
// same-<lang>.txt has groups of words of one meaning, <from>-<to>.txt has
// translations.
func Read(files fs.FS) (*Lexicon, error) {
	l := &Lexicon{words: map[pair]map[string][]index.Other{}, phrases: map[pair]map[string][]phrase{}, known: map[string]map[string]bool{}}
	names, err := fs.Glob(files, "*.txt")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		from, to, ok := strings.Cut(strings.TrimSuffix(name, ".txt"), "-")
		if !ok {
			return nil, fmt.Errorf("%s: the name must be same-<language>.txt or <from>-<to>.txt", name)
		}
		to, _, _ = strings.Cut(to, ".") // pt-en.learned, same-en.products
		if err := l.readFile(from, to, data); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return l, nil
}

func (l *Lexicon) readFile(from, to string, data []byte) error {
	scanner := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; scanner.Scan(); n++ {
		row, _, _ := strings.Cut(scanner.Text(), "#")
		if row = strings.TrimSpace(row); row == "" {
			continue
		}
		if from == "same" {
			l.group(to, row)
			continue
		}
		left, right, ok := strings.Cut(row, "=")
		if !ok {
			return fmt.Errorf("line %d has no =", n)
		}
		for source := range strings.SplitSeq(left, ",") {
			for target := range strings.SplitSeq(right, ",") {
				target, weight := weighted(target)
				l.put(pair{from, to}, source, target, weight)
				if to == "en" && weight >= sure {
					l.put(pair{to, from}, target, source, weight*0.9)
				}
			}
		}
	}
	return scanner.Err()
}

// sure is the weight from which on a translation is taken in the other direction, too.
const sure = 0.4

// weighted reads "word 0.4".
func weighted(text string) (string, float64) {
	text = strings.TrimSpace(text)
	at := strings.LastIndexByte(text, ' ')
	if at < 0 {
		return text, 1
	}
	w, err := strconv.ParseFloat(text[at+1:], 64)
	if err != nil {
		return text, 1
	}
	return strings.TrimSpace(text[:at]), w
}

// group joins every word of a row with every other. "old > new" goes one way.
func (l *Lexicon) group(lang, row string) {
	if left, right, ok := strings.Cut(row, ">"); ok {
		for a := range strings.SplitSeq(left, ",") {
			for b := range strings.SplitSeq(right, ",") {
				b, w := weighted(b)
				l.put(pair{lang, lang}, a, b, w)
			}
		}
		return
	}
	words := strings.Split(row, ",")
	for i, a := range words {
		for j, b := range words {
			if i != j {
				l.put(pair{lang, lang}, a, b, 1)
			}
		}
	}
}

func stems(text string, lang *analysis.Language) []string {
	var out []string
	analysis.Split(text, func(w analysis.Word) {
		if w.Parts == nil {
			out = append(out, lang.Stem(w.Whole))
			return
		}
		for _, p := range w.Parts {
			out = append(out, lang.Stem(p))
		}
	})
	return out
}

func (l *Lexicon) put(p pair, from, to string, weight float64) {
	s := stems(from, analysis.Of(p.from))
	to = strings.TrimSpace(to)
	switch {
	case len(s) == 0 || to == "":
	case len(s) > 1:
		l.putPhrase(p, s, index.Other{Word: to, Weight: weight})
	default:
		if l.known[p.from] == nil {
			l.known[p.from] = map[string]bool{}
		}
		l.known[p.from][s[0]] = true
		if l.words[p] == nil {
			l.words[p] = map[string][]index.Other{}
		}
		l.words[p][s[0]] = with(l.words[p][s[0]], index.Other{Word: to, Weight: weight})
	}
}

func (l *Lexicon) putPhrase(p pair, stems []string, o index.Other) {
	if l.phrases[p] == nil {
		l.phrases[p] = map[string][]phrase{}
	}
	list := l.phrases[p][stems[0]]
	for i := range list {
		if slices.Equal(list[i].stems, stems) {
			list[i].others = with(list[i].others, o)
			return
		}
	}
	l.phrases[p][stems[0]] = append(list, phrase{stems, []index.Other{o}})
}

// with adds a word, or raises its weight where it is there already.
func with(others []index.Other, o index.Other) []index.Other {
	for i := range others {
		if others[i].Word == o.Word {
			others[i].Weight = max(others[i].Weight, o.Weight)
			return others
		}
	}
	return append(others, o)
}

// synonymWeight is what a synonym of a translation counts beside the translation.
const synonymWeight = 0.5

// Others gives the words that stand for word.
func (l *Lexicon) Others(word string, from, to *analysis.Language) []index.Other {
	stem := from.Stem(word)
	var out []index.Other
	if from == to {
		out = append(out, l.words[pair{from.Code, from.Code}][stem]...)
		return l.pivot(out, word, stem, from)
	}
	direct := l.words[pair{from.Code, to.Code}][stem]
	if len(direct) == 0 && from != analysis.English && to != analysis.English {
		for _, e := range l.words[pair{from.Code, "en"}][stem] { // over English
			for _, o := range l.words[pair{"en", to.Code}][analysis.English.Stem(e.Word)] {
				out = append(out, index.Other{Word: o.Word, Weight: e.Weight * o.Weight})
			}
		}
		if from == analysis.Spanish {
			for _, c := range cognates(word) {
				out = append(out, index.Other{Word: c, Weight: 0.9})
			}
		}
	}
	if len(direct) == 0 && from == analysis.Spanish && to == analysis.English {
		for _, c := range cognates(word) {
			for _, o := range l.words[pair{"pt", "en"}][analysis.Portuguese.Stem(c)] {
				out = append(out, index.Other{Word: o.Word, Weight: o.Weight * 0.9})
			}
		}
	}
	if len(direct) == 0 && from != analysis.English && to == analysis.English {
		for _, e := range english(word) {
			out = append(out, index.Other{Word: e, Weight: 0.6})
		}
	}
	out = append(out, direct...)
	for _, o := range out[:len(out):len(out)] {
		for _, syn := range l.words[pair{to.Code, to.Code}][to.Stem(analysis.Fold(o.Word))] {
			out = append(out, index.Other{Word: syn.Word, Weight: o.Weight * syn.Weight * synonymWeight})
		}
	}
	return out
}

// Phrases finds runs of words that have a meaning of their own.
func (l *Lexicon) Phrases(words []string, from, to *analysis.Language) []index.Phrase {
	table := l.phrases[pair{from.Code, to.Code}]
	if len(table) == 0 {
		return nil
	}
	var out []index.Phrase
	stemmed := make([]string, len(words))
	for i, w := range words {
		stemmed[i] = l.stem(w, from)
	}
	for i, first := range stemmed {
		for _, ph := range table[first] {
			if n := len(ph.stems); i+n <= len(stemmed) && slices.Equal(stemmed[i:i+n], ph.stems) {
				for _, o := range ph.others {
					out = append(out, index.Phrase{At: i, Len: n, Other: o})
				}
			}
		}
	}
	return out
}

// maxStems bounds the stems that are remembered: words of questions come again.
const maxStems = 16384

func (l *Lexicon) stem(word string, lang *analysis.Language) string {
	type key struct {
		lang *analysis.Language
		word string
	}
	if known, ok := l.stemmed.Load(key{lang, word}); ok {
		return known.(string)
	}
	stem := lang.Stem(word)
	if l.stems.Add(1) <= maxStems {
		l.stemmed.Store(key{lang, word}, stem)
	}
	return stem
}

// Knows says that a word is one of the language, as far as the data tell.
func (l *Lexicon) Knows(word string, lang *analysis.Language) bool {
	return l.known[lang.Code][lang.Stem(word)]
}

// cognates are the Portuguese spellings that a Spanish word may have.
func cognates(word string) []string {
	out := []string{word}
	for _, r := range []struct{ es, pt string }{
		{"ciones", "coes"}, {"cion", "cao"}, {"siones", "soes"}, {"sion", "sao"}, {"dades", "dades"}, {"dad", "dade"},
		{"mente", "mente"}, {"ero", "eiro"}, {"era", "eira"}, {"aje", "agem"}, {"ble", "vel"}, {"miento", "mento"},
	} {
		if stem, ok := strings.CutSuffix(word, r.es); ok {
			out = append(out, stem+r.pt)
			break
		}
	}
	for _, r := range []struct{ es, pt string }{{"ue", "o"}, {"ie", "e"}, {"ll", "l"}, {"ñ", "nh"}, {"j", "lh"}} {
		if strings.Contains(word, r.es) {
			out = append(out, strings.Replace(word, r.es, r.pt, 1))
		}
	}
	return out
}

// pivotWeight is what a word counts that is reached over another language: two
// words with one translation mean about the same.
const pivotWeight = 0.8

// pivot adds the words that share a translation with word.
func (l *Lexicon) pivot(out []index.Other, word, stem string, lang *analysis.Language) []index.Other {
	over := analysis.English
	if lang == analysis.English {
		over = analysis.Portuguese
	}
	for _, e := range l.words[pair{lang.Code, over.Code}][stem] {
		for _, b := range l.words[pair{over.Code, lang.Code}][over.Stem(analysis.Fold(e.Word))] {
			if lang.Stem(analysis.Fold(b.Word)) != stem {
				out = append(out, index.Other{Word: b.Word, Weight: e.Weight * b.Weight * pivotWeight})
			}
		}
	}
	return out
}

// english are the English spellings that a Portuguese or Spanish word may have
// that came from Latin as the English one did.
func english(word string) []string {
	for _, r := range []struct{ from, to string }{
		{"izaciones", "ization"}, {"izacion", "ization"}, {"izacoes", "ization"}, {"izacao", "ization"},
		{"ciones", "tion"}, {"cion", "tion"}, {"coes", "tion"}, {"cao", "tion"},
		{"siones", "sion"}, {"sion", "sion"}, {"soes", "sion"}, {"sao", "sion"},
		{"idades", "ity"}, {"idade", "ity"}, {"idad", "ity"}, {"dades", "ty"}, {"dade", "ty"}, {"dad", "ty"},
		{"amente", "ally"}, {"mente", "ly"}, {"encia", "ence"}, {"ancia", "ance"}, {"ificar", "ify"}, {"izar", "ize"},
		{"ivo", "ive"}, {"iva", "ive"}, {"oso", "ous"}, {"osa", "ous"}, {"avel", "able"}, {"ivel", "ible"}, {"ismo", "ism"}, {"ista", "ist"},
		{"ologia", "ology"}, {"ico", "ic"}, {"ica", "ic"}, {"ario", "ary"}, {"aria", "ary"}, {"orio", "ory"}, {"ado", "ated"}, {"ar", "ate"},
		{"ir", ""}, {"er", ""}, {"a", ""}, {"o", ""}, {"e", ""},
	} {
		if stem, ok := strings.CutSuffix(word, r.from); ok && len(stem) >= 4 {
			return []string{stem + r.to}
		}
	}
	return nil
}
