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

// question is what was asked: its words, all of them, and what tells its language.
type question struct {
	words    []analysis.Word
	language analysis.Guessed
}

func read(text string) question {
	var q question
	analysis.Split(text, func(w analysis.Word) { q.words = append(q.words, w) })
	q.language = analysis.Guess(text, q.words)
	return q
}

// asked is a question as one language reads it.
type asked struct {
	words []askedWord // that are looked for
	all   []string    // the words in order, small ones too, for phrases
	at    []int       // of each of all: its place in words, or -1
}

func ask(words []analysis.Word, lang *analysis.Language) asked {
	var a asked
	for _, w := range words {
		if len(a.words) >= maxAsked {
			break
		}
		if w.Parts == nil {
			a.note(w.Whole, lang.Stop(w.Whole), askedWord{text: w.Whole})
			continue
		}
		if w.Whole != "" {
			a.words = append(a.words, askedWord{text: w.Whole, whole: true})
		}
		for _, p := range w.Parts {
			a.note(p, lang.Stop(p), askedWord{text: p, part: true})
		}
	}
	if len(a.words) == 0 { // "what is this": better than nothing
		for i, text := range a.all {
			a.at[i] = len(a.words)
			a.words = append(a.words, askedWord{text: text})
		}
	}
	a.words = a.words[:min(len(a.words), maxAsked)]
	return a
}

func (a *asked) note(text string, stop bool, w askedWord) {
	a.all = append(a.all, text)
	if stop {
		a.at = append(a.at, -1)
		return
	}
	a.at = append(a.at, len(a.words))
	a.words = append(a.words, w)
}
