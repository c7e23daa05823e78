package index

import (
	"math"
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
)

// concept is one thing that was asked for, and the terms by which a shelf may
// know it. Its terms count as one word: finding two of them is not twice as good.
type concept struct {
	weight float64
	worth  float32 // its weight by how much it tells
	terms  []term
}

type term struct {
	id     uint32
	weight float32
}

// add makes a term stand for the concept; one that the shelf lacks does nothing.
func (c *concept) add(s *shelf, text string, weight float64) {
	if id, ok := s.ids[text]; ok {
		c.addID(id, float32(weight))
	}
}

func (c *concept) addID(id uint32, weight float32) {
	for i := range c.terms {
		if c.terms[i].id == id {
			c.terms[i].weight = max(c.terms[i].weight, weight)
			return
		}
	}
	c.terms = append(c.terms, term{id, weight})
}

// concepts says what to look for on one shelf.
func (ix *Index) concepts(a asked, s *shelf) []concept {
	out := make([]concept, len(a.words), len(a.words)+2)
	for i, w := range a.words { // what is remembered belongs to all searches
		out[i] = s.concepts.of(asking{w, a.lang}, func() concept { return ix.concept(w, a.lang, s) })
	}
	factor := ix.factor(a.lang, s.lang)
	for _, ph := range ix.words.Phrases(a.stems, a.lang, s.lang) {
		alone := true
		for i := ph.At; i < ph.At+ph.Len; i++ {
			if at := a.at[i]; at >= 0 && at < len(a.words) {
				alone = false
				out[at].terms = slices.Clone(out[at].terms)
				ix.stand(&out[at], ph.Other, s, factor)
				out[at].worth = s.worth(out[at])
			}
		}
		if alone && len(out) < maxAsked { // a phrase of small words: "how much"
			c := concept{weight: 1}
			ix.stand(&c, ph.Other, s, factor)
			if len(c.terms) > 0 {
				c.worth = s.worth(c)
				out = append(out, c)
			}
		}
	}
	return out
}

// asking is a word and the language that it is asked in.
type asking struct {
	askedWord
	from *analysis.Language
}

// concept says what a word means on a shelf.
func (ix *Index) concept(w askedWord, from *analysis.Language, s *shelf) (c concept) {
	c.weight = 1
	defer func() { c.worth = s.worth(c) }()
	if w.whole {
		c.add(s, w.text, 1)
		return c
	}
	if w.part {
		c.weight = ix.params.Part
	}
	c.add(s, s.lang.Stem(w.text), 1)
	for _, o := range ix.words.Others(w.text, from, s.lang) {
		ix.stand(&c, o, s, ix.factor(from, s.lang))
	}
	if len(c.terms) == 0 && !ix.words.Knows(w.text, from) {
		ix.respell(&c, w.text, from, s)
	}
	return c
}

// respell lets the words that were likely meant stand for one that nobody knows.
func (ix *Index) respell(c *concept, word string, from *analysis.Language, s *shelf) {
	for _, fix := range ix.fixes.of(word, func() []Other { return ix.spell.near(word) }) {
		weight := fix.Weight * ix.params.Spelling
		c.add(s, s.lang.Stem(fix.Word), weight)
		for _, o := range ix.words.Others(fix.Word, from, s.lang) {
			ix.stand(c, o, s, weight*ix.factor(from, s.lang))
		}
	}
}

// stand lets another word stand for the concept.
func (ix *Index) stand(c *concept, o Other, s *shelf, factor float64) {
	weight := o.Weight * factor
	if strings.ContainsRune(o.Word, ' ') {
		weight *= ix.params.Several
	}
	s.lang.Terms(o.Word, func(t string) { c.add(s, t, weight) })
}

// factor weighs what words say: synonyms within a language, translations between two.
func (ix *Index) factor(from, to *analysis.Language) float64 {
	if from == to {
		return ix.params.Synonym
	}
	return ix.params.Bridge
}

// worth is a concept's weight by how much it tells: the log of how rare it is
// among pages. One that the shelf lacks tells most, and no page has it.
func (s *shelf) worth(c concept) float32 {
	total, df := float64(len(s.pages)), 0.0
	for _, t := range c.terms {
		df = max(df, float64(t.weight)*float64(s.pagesWith(t.id)))
	}
	if df == 0 {
		return float32(c.weight * math.Log(1+total))
	}
	df = max(df, 1)
	return float32(c.weight * math.Log(1+(total-df+0.5)/(df+0.5)))
}
