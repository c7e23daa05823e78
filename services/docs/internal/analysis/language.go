package analysis

import (
	"embed"
	"fmt"
	"strings"
)

// Language is how text of one language is analysed.
type Language struct {
	Code string // "en", "pt", "es"
	stop map[string]bool
	stem func(string) string
}

//go:embed stop/*.txt
var stopFiles embed.FS

// The languages there are. Text of any other language is treated as English.
var (
	English    = mustLanguage("en", stemEnglish)
	Portuguese = mustLanguage("pt", stemPortuguese)
	Spanish    = mustLanguage("es", stemSpanish)
)

// Languages lists them.
var Languages = []*Language{English, Portuguese, Spanish}

// mustLanguage reads embedded data: it fails only when the build is broken.
func mustLanguage(code string, stem func(string) string) *Language {
	data, err := stopFiles.ReadFile("stop/" + code + ".txt")
	if err != nil {
		panic(fmt.Sprintf("analysis: %v", err))
	}
	l := &Language{Code: code, stop: map[string]bool{}, stem: stem}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") {
			for _, word := range strings.Fields(line) {
				l.stop[Fold(word)] = true
			}
		}
	}
	return l
}

// Named gives the language of a tag such as "pt-BR"; false where there is none.
func Named(tag string) (*Language, bool) {
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	for _, l := range Languages {
		if l.Code == base {
			return l, true
		}
	}
	return nil, false
}

// Of gives the language of a tag, English where there is none.
func Of(tag string) *Language {
	if l, ok := Named(tag); ok {
		return l
	}
	return English
}

// Codes are those of Languages, for a person: "en, pt, es".
func Codes() string {
	var codes []string
	for _, l := range Languages {
		codes = append(codes, l.Code)
	}
	return strings.Join(codes, ", ")
}

// Stop says that a folded word carries nothing in this language.
func (l *Language) Stop(word string) bool { return l.stop[word] }

// Stem reduces a folded word. Words with digits stay as they are.
func (l *Language) Stem(word string) string {
	if len(word) < 3 || strings.ContainsAny(word, "0123456789") {
		return word
	}
	return l.stem(word)
}

// Terms yields what is indexed of a text, in order.
func (l *Language) Terms(text string, yield func(term string)) {
	Split(text, func(w Word) { l.TermsOf(w, yield) })
}

// TermsOf yields what is indexed of a word: the stem of a plain word or of each
// of an identifier's parts, and an identifier as a whole.
func (l *Language) TermsOf(w Word, yield func(term string)) {
	if w.Parts == nil {
		if !l.stop[w.Whole] {
			yield(l.Stem(w.Whole))
		}
		return
	}
	if w.Whole != "" {
		yield(w.Whole)
	}
	for _, part := range w.Parts {
		if !l.stop[part] {
			yield(l.Stem(part))
		}
	}
}

// Detect guesses the language of a query from its small words and spelling;
// otherwise, where nothing tells, gives fallback.
func Detect(text string, fallback *Language) *Language {
	var words []Word
	Split(text, func(w Word) { words = append(words, w) })
	return Guess(text, words).Or(fallback)
}

// Guessed is how much tells for each of Languages.
type Guessed [3]int

// Guess counts what tells for each language in a text and its words.
func Guess(text string, words []Word) (points Guessed) {
	const portuguese, spanish = 1, 2 // their places in Languages
	for _, w := range words {
		for i, l := range Languages {
			if l.stop[w.Whole] {
				points[i]++
			}
		}
	}
	for _, r := range strings.ToLower(text) {
		switch r {
		case 'ã', 'õ', 'ç', 'ê', 'ô', 'â', 'à':
			points[portuguese] += 2
		case 'ñ', '¿', '¡':
			points[spanish] += 3
		case 'á', 'é', 'í', 'ó', 'ú':
			points[portuguese]++
			points[spanish]++
		}
	}
	return points
}

// Or is the language for which most tells, fallback where others have as much.
func (g Guessed) Or(fallback *Language) *Language {
	best, most := fallback, 0
	for i, l := range Languages {
		if g[i] > most || g[i] == most && most > 0 && l == fallback {
			best, most = l, g[i]
		}
	}
	return best
}
