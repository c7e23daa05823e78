package index

import (
	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
)

// concept is one thing that was asked for, and the terms by which a shelf may
// know it. Its terms count as one word: finding two of them is not twice as good.
type concept struct {
	weight float64
	terms  []term
}

type term struct {
	id     uint32
	weight float64
}

// add makes a term stand for the concept; one that the shelf lacks does nothing.
func (c *concept) add(s *shelf, text string, weight float64) {
	if id, ok := s.ids[text]; ok {
		c.addID(id, weight)
	}
}

func (c *concept) addID(id uint32, weight float64) {
	for i := range c.terms {
		if c.terms[i].id == id {
			c.terms[i].weight = max(c.terms[i].weight, weight)
			return
		}
	}
	c.terms = append(c.terms, term{id, weight})
}

// askedWord is a word of the question.
type askedWord struct {
	text  string
	whole bool // an identifier
	part  bool // a word inside an identifier
}

// maxAsked bounds the words of a question that are looked for.
const maxAsked = 64

func askedWords(question string, lang *analysis.Language) []askedWord {
	var out, stopped []askedWord
	analysis.Split(question, func(w analysis.Word) {
		switch {
		case w.Parts == nil && lang.Stop(w.Whole):
			stopped = append(stopped, askedWord{text: w.Whole})
		case w.Parts == nil:
			out = append(out, askedWord{text: w.Whole})
		case w.Whole != "":
			out = append(out, askedWord{text: w.Whole, whole: true})
		}
		for _, p := range w.Parts {
			if !lang.Stop(p) {
				out = append(out, askedWord{text: p, part: true})
			}
		}
	})
	if len(out) == 0 {
		out = stopped // "what is this": better than nothing
	}
	return out[:min(len(out), maxAsked)]
}

// concepts says what to look for on one shelf.
func (ix *Index) concepts(words []askedWord, from *analysis.Language, s *shelf) []concept {
	out := make([]concept, len(words))
	plain := make([]string, len(words))
	for i, w := range words {
		plain[i] = w.text
		out[i] = ix.concept(w, from, s)
	}
	for _, ph := range ix.words.Phrases(plain, from, s.lang) {
		for i := ph.At; i < ph.At+ph.Len; i++ {
			ix.stand(&out[i], ph.Other, s, ix.factor(from, s.lang))
		}
	}
	return out
}

func (ix *Index) concept(w askedWord, from *analysis.Language, s *shelf) concept {
	c := concept{weight: 1}
	if w.whole {
		c.add(s, w.text, 1)
		return c
	}
	if w.part {
		c.weight = ix.params.Part
	}
	c.add(s, s.lang.Stem(w.text), 1)
	others := ix.words.Others(w.text, from, s.lang)
	for _, o := range others {
		ix.stand(&c, o, s, ix.factor(from, s.lang))
	}
	if len(c.terms) == 0 && len(others) == 0 && !ix.words.Knows(w.text, from) {
		ix.respell(&c, w.text, from, s)
	}
	return c
}

// respell lets the words that were likely meant stand for one that nobody knows.
func (ix *Index) respell(c *concept, word string, from *analysis.Language, s *shelf) {
	for _, fix := range ix.spell.near(word) {
		weight := fix.Weight * ix.params.Spelling
		c.add(s, s.lang.Stem(fix.Word), weight)
		for _, o := range ix.words.Others(fix.Word, from, s.lang) {
			ix.stand(c, o, s, weight*ix.factor(from, s.lang))
		}
	}
}

// stand lets another word stand for the concept.
func (ix *Index) stand(c *concept, o Other, s *shelf, factor float64) {
	for _, id := range s.idsOf(o.Word) {
		c.addID(id, o.Weight*factor)
	}
}

// factor weighs what words say: synonyms within a language, translations between two.
func (ix *Index) factor(from, to *analysis.Language) float64 {
	if from == to {
		return ix.params.Synonym
	}
	return ix.params.Bridge
}
