// Package lexicon knows which words stand for which: synonyms and product names
// within a language, and the bridge from Portuguese and Spanish words to English
// pages and back. Its data are files beside it; the code knows no word.
package lexicon

import (
	"slices"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
	"github.com/comporta-mcp/comporta/services/docs/internal/index"
)

// pair is two languages, from and to.
type pair struct{ from, to string }

// phrase is several words that mean something together.
type phrase struct {
	stems  []string
	others []index.Other
}

// Lexicon is the loaded data. It does not change.
type Lexicon struct {
	words   map[pair]map[string][]index.Other // by stem of the language asked in
	phrases map[pair]map[string][]phrase      // by their first stem
	known   map[string]map[string]bool
}

// What a word counts that was not written down for the one that was asked for:
// a synonym of a translation beside the translation, and words that are spelt as
// they would be in a related language.
const (
	synonymWeight = 0.5
	cognateWeight = 0.9 // Spanish and Portuguese
	latinWeight   = 0.6 // either and English
)

// Others gives the words that stand for word.
func (l *Lexicon) Others(word string, from, to *analysis.Language) []index.Other {
	stem := from.Stem(word)
	switch {
	case word == "":
		return nil
	case from == to:
		same := slices.Clone(l.words[pair{from.Code, from.Code}][stem])
		return l.pivot(same, word, stem, from)
	}
	out := l.translations(word, stem, from, to)
	for _, o := range out[:len(out):len(out)] {
		for _, syn := range l.words[pair{to.Code, to.Code}][to.Stem(analysis.Fold(o.Word))] {
			out = append(out, index.Other{Word: syn.Word, Weight: o.Weight * syn.Weight * synonymWeight})
		}
	}
	return out
}

// translations are those that are written down, or else what can be made of the word.
func (l *Lexicon) translations(word, stem string, from, to *analysis.Language) []index.Other {
	if direct := l.words[pair{from.Code, to.Code}][stem]; len(direct) > 0 {
		return slices.Clone(direct)
	}
	switch {
	case from == analysis.English:
		return nil
	case to == analysis.English:
		return l.toEnglish(word, from)
	}
	var out []index.Other
	for _, e := range l.words[pair{from.Code, "en"}][stem] { // over English
		for _, o := range l.words[pair{"en", to.Code}][analysis.English.Stem(e.Word)] {
			out = append(out, index.Other{Word: o.Word, Weight: e.Weight * o.Weight})
		}
	}
	if from == analysis.Spanish {
		for _, c := range cognates(word) {
			out = append(out, index.Other{Word: c, Weight: cognateWeight})
		}
	}
	return out
}

// toEnglish makes English words of one that has no translation.
func (l *Lexicon) toEnglish(word string, from *analysis.Language) []index.Other {
	var out []index.Other
	if from == analysis.Spanish {
		for _, c := range cognates(word) {
			for _, o := range l.words[pair{"pt", "en"}][analysis.Portuguese.Stem(c)] {
				out = append(out, index.Other{Word: o.Word, Weight: o.Weight * cognateWeight})
			}
		}
	}
	if e, ok := english(word); ok {
		out = append(out, index.Other{Word: e, Weight: latinWeight})
	}
	return out
}

// Phrases finds runs of words, told as their stems, that have a meaning of their own.
func (l *Lexicon) Phrases(stems []string, from, to *analysis.Language) []index.Phrase {
	table := l.phrases[pair{from.Code, to.Code}]
	if len(table) == 0 {
		return nil
	}
	var out []index.Phrase
	for i, first := range stems {
		for _, ph := range table[first] {
			if n := len(ph.stems); i+n <= len(stems) && slices.Equal(stems[i:i+n], ph.stems) {
				for _, o := range ph.others {
					out = append(out, index.Phrase{At: i, Len: n, Other: o})
				}
			}
		}
	}
	return out
}

// Knows says that a word is one of the language, as far as the data tell.
func (l *Lexicon) Knows(word string, lang *analysis.Language) bool {
	return l.known[lang.Code][lang.Stem(word)]
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
