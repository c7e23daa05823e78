package index

import (
	"sync"
	"sync/atomic"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// shelf is the pages of one language, and how their words are found. Terms,
// pages and pieces are numbers.
type shelf struct {
	lang     *analysis.Language
	pages    []*page.Page
	ids      map[string]uint32 // of terms
	inPages  [][]posting       // by term
	inPieces [][]posting
	pieces   []piece
	first    []uint32          // of page i: its first piece; one more at the end
	titles   [][]uint32        // of page i: the terms of its title, in order
	twins    map[string]uint32 // pages by Twin

	free   chan *tables
	known  atomic.Int64
	others sync.Map // of the words of Words: their terms here, []uint32
}

// piece is a passage in the index.
type piece struct {
	page  uint32
	at    int      // its place in the page's Passages
	terms []uint32 // in order
}

// posting says how much of a term is in a page or a piece: its repeats in all
// fields, each with its boost and damped by its length.
type posting struct {
	id  uint32
	amt float32
}

// weigh makes the postings of every term from the terms of each text's fields.
func weigh(terms int, all [][][]uint32, fields []Field) [][]posting {
	average := averages(all, len(fields))
	out := make([][]posting, terms)
	for id, texts := range all {
		for f, field := range fields {
			damp := 1 - field.Length + field.Length*float64(len(texts[f]))/average[f]
			one := float32(field.Boost / damp)
			for _, t := range texts[f] {
				if n := len(out[t]); n > 0 && out[t][n-1].id == uint32(id) {
					out[t][n-1].amt += one
				} else {
					out[t] = append(out[t], posting{uint32(id), one})
				}
			}
		}
	}
	return out
}

// averages are the mean lengths of the fields, at least 1.
func averages(all [][][]uint32, fields int) []float64 {
	out := make([]float64, fields)
	for _, texts := range all {
		for f := range out {
			out[f] += float64(len(texts[f]))
		}
	}
	for f := range out {
		out[f] = max(out[f]/float64(max(len(all), 1)), 1)
	}
	return out
}

// maxOthers bounds what is remembered: the words of the data files are fewer, but
// Words may also make words of those of a question.
const maxOthers = 20_000

// idsOf gives the terms of a word that Words named; each is analysed once.
func (s *shelf) idsOf(word string) []uint32 {
	if known, ok := s.others.Load(word); ok {
		return known.([]uint32)
	}
	ids := []uint32{}
	s.lang.Terms(word, func(t string) {
		if id, ok := s.ids[t]; ok {
			ids = append(ids, id)
		}
	})
	if s.known.Add(1) <= maxOthers {
		s.others.Store(word, ids)
	}
	return ids
}
