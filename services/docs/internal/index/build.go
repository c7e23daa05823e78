package index

import (
	"path"
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

func newShelf(lang *analysis.Language, pages []*page.Page, spell *speller, p Params) *shelf {
	s := &shelf{lang: lang, pages: pages, ids: map[string]uint32{}, twins: map[string]uint32{}, free: make(chan *tables, maxFree)}
	b := builder{shelf: s, chunks: map[string]*chunk{}, common: commonPassages(pages)}
	for i := range pages {
		b.add(uint32(i))
	}
	s.first = append(s.first, uint32(len(s.pieces)))
	for _, c := range b.chunks {
		spell.count(c.words, c.seen)
	}
	s.inPages = weigh(len(s.ids), b.pages, p.Page[:])
	s.inPieces = weigh(len(s.ids), b.parts, p.Piece[:])
	return s
}

// builder reads all pages before it weighs, because damping needs the average lengths.
type builder struct {
	shelf  *shelf
	chunks map[string]*chunk // each spelling is analysed once
	common map[string]bool
	pages  [][][]uint32 // of each page: the terms of each field
	parts  [][][]uint32 // of each piece
}

// chunk is a word as it is written.
type chunk struct {
	words []string
	terms []uint32
	seen  int
}

func (b *builder) terms(text string) []uint32 {
	var out []uint32
	analysis.Chunks(text, func(raw string) {
		c, ok := b.chunks[raw]
		if !ok {
			c = b.read(raw)
			b.chunks[strings.Clone(raw)] = c
		}
		c.seen++
		out = append(out, c.terms...)
	})
	return out
}

func (b *builder) read(raw string) *chunk {
	w, ok := analysis.Read(raw)
	if !ok {
		return &chunk{}
	}
	c := &chunk{words: w.Parts}
	if w.Parts == nil {
		c.words = []string{w.Whole}
	}
	b.shelf.lang.TermsOf(w, func(t string) {
		id, ok := b.shelf.ids[t]
		if !ok {
			id = uint32(len(b.shelf.ids))
			b.shelf.ids[strings.Clone(t)] = id
		}
		c.terms = append(c.terms, id)
	})
	return c
}

func (b *builder) add(id uint32) {
	s, p := b.shelf, b.shelf.pages[id]
	s.first = append(s.first, uint32(len(s.pieces)))
	if p.Twin != "" {
		s.twins[p.Twin] = id
	}
	fields := make([][]uint32, pageFields)
	fields[inTitle] = b.terms(p.Title)
	fields[inSummary] = b.terms(p.Summary)
	fields[inKeywords] = b.terms(strings.Join(p.Keywords, " , "))
	fields[inPath] = b.terms(pathWords(p))
	s.titles = append(s.titles, fields[inTitle])
	seen := ""
	for at, passage := range p.Passages {
		if b.common[passage.Text] {
			continue
		}
		heading := strings.Join(passage.Headings, " / ")
		if heading != seen {
			seen = heading
			fields[inHeadings] = append(fields[inHeadings], b.terms(innermost(passage.Headings))...)
		}
		text := b.terms(passage.Text)
		fields[inBody] = append(fields[inBody], text...)
		b.parts = append(b.parts, [][]uint32{slices.Concat(b.terms(heading), fields[inTitle]), text})
		s.pieces = append(s.pieces, piece{page: id, at: at, terms: text})
	}
	b.pages = append(b.pages, fields)
}

func innermost(headings []string) string {
	if len(headings) == 0 {
		return ""
	}
	return headings[len(headings)-1]
}

// pathWords are the words of a page's address.
func pathWords(p *page.Page) string {
	switch {
	case p.Route != "":
		return p.Route
	case p.Permalink != "":
		return strings.ReplaceAll(p.Permalink, "/", " ")
	}
	return strings.ReplaceAll(strings.TrimSuffix(p.Path, path.Ext(p.Path)), "/", " ")
}

// manyPages is how many pages share a passage that tells nothing about any.
const manyPages = 8

// commonPassages are texts that many pages share: options that every command
// has, statuses that every operation has.
func commonPassages(pages []*page.Page) map[string]bool {
	seen := map[string]int{}
	for _, p := range pages {
		for _, passage := range p.Passages {
			seen[passage.Text]++
		}
	}
	out := map[string]bool{}
	for text, n := range seen {
		if n >= manyPages {
			out[text] = true
		}
	}
	return out
}
