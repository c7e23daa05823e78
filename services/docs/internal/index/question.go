package index

import "github.com/comporta-mcp/comporta/services/docs/internal/analysis"

// askedWord is a word of the question.
type askedWord struct {
	text  string
	whole bool // an identifier
	part  bool // a word inside an identifier
}

// maxAsked bounds the words of a question that are looked for.
const maxAsked = 64

// question is what was asked: its words, all of them, what tells its language, and
// how the languages read it.
type question struct {
	words    []analysis.Word
	language analysis.Guessed
	asked    []asked
}

func read(text string) question {
	q := question{words: make([]analysis.Word, 0, 16)}
	analysis.Split(text, func(w analysis.Word) { q.words = append(q.words, w) })
	q.language = analysis.Guess(text, q.words)
	return q
}

// asked is a question as one language reads it.
type asked struct {
	lang  *analysis.Language
	words []askedWord // that are looked for
	all   []string    // the words in order, small ones too, for phrases
	at    []int       // of each of all: its place in words, or -1
	stems []string    // of all
}

// ask reads the question in its language, that of the pages where nothing tells.
func (ix *Index) ask(q *question, pages *analysis.Language) asked {
	lang := q.language.Or(pages)
	for _, a := range q.asked {
		if a.lang == lang {
			return a
		}
	}
	n := len(q.words)
	a := asked{lang: lang, words: make([]askedWord, 0, n), all: make([]string, 0, n), at: make([]int, 0, n), stems: make([]string, 0, n)}
	a.read(q.words)
	for _, word := range a.all {
		a.stems = append(a.stems, ix.stems.of(asking{askedWord{text: word}, lang}, func() string { return lang.Stem(word) }))
	}
	q.asked = append(q.asked, a)
	return a
}

func (a *asked) read(words []analysis.Word) {
	for _, w := range words {
		if len(a.words) >= maxAsked {
			break
		}
		if w.Parts == nil {
			a.note(w.Whole, askedWord{text: w.Whole})
			continue
		}
		if w.Whole != "" {
			a.words = append(a.words, askedWord{text: w.Whole, whole: true})
		}
		for _, p := range w.Parts {
			a.note(p, askedWord{text: p, part: true})
		}
	}
	if len(a.words) == 0 { // "what is this": better than nothing
		for i, text := range a.all {
			a.at[i] = len(a.words)
			a.words = append(a.words, askedWord{text: text})
		}
	}
	a.words = a.words[:min(len(a.words), maxAsked)]
}

func (a *asked) note(text string, w askedWord) {
	a.all = append(a.all, text)
	if a.lang.Stop(text) {
		a.at = append(a.at, -1)
		return
	}
	a.at = append(a.at, len(a.words))
	a.words = append(a.words, w)
}
