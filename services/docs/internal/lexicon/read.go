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

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
	"github.com/comporta-mcp/comporta/services/docs/internal/index"
)

//go:embed data
var shipped embed.FS

// same takes the place of a language in the name of a file of synonyms.
const same = "same"

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
		for _, tag := range []string{from, to} {
			if _, known := analysis.Named(tag); !known && tag != same {
				return nil, fmt.Errorf("%s: languages are %s, not %q", name, analysis.Codes(), tag)
			}
		}
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
		if from == same {
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
