package index

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// fields are the terms of each field of a page or a piece.
type fields [][]uint32

// draft is a shelf that was read and not weighed: damping needs the average
// lengths, and who looks for good weights weighs more than once.
type draft struct {
	text
	inPages  []fields
	inPieces []fields

	last   weighed
	chunks map[string]*chunk // each spelling is analysed once
	common map[string]bool
}

// chunk is a word as it is written.
type chunk struct {
	words []string
	terms []uint32
	seen  int
}

func newDraft(lang *analysis.Language, pages []*page.Page, groups map[string]uint32, spell *speller) *draft {
	d := &draft{text: text{lang: lang, pages: pages, ids: map[string]uint32{}}, chunks: map[string]*chunk{}, common: commonPassages(pages)}
	for i, p := range pages {
		d.add(uint32(i))
		d.weights = append(d.weights, float32(cmp.Or(max(p.Weight, 0), 1)))
		d.groups = append(d.groups, groups[p.Twin])
	}
	d.first = append(d.first, uint32(len(d.pieces)))
	for _, c := range d.chunks {
		spell.count(c.words, c.seen)
	}
	d.chunks, d.common = nil, nil
	return d
}

func (d *draft) terms(text string) []uint32 {
	var out []uint32
	analysis.Chunks(text, func(raw string) {
		c, ok := d.chunks[raw]
		if !ok {
			c = d.read(raw)
			d.chunks[strings.Clone(raw)] = c
		}
		c.seen++
		out = append(out, c.terms...)
	})
	return slices.Clip(out)
}

func (d *draft) read(raw string) *chunk {
	w, ok := analysis.Read(raw)
	if !ok {
		return &chunk{}
	}
	c := &chunk{words: w.Parts}
	if w.Parts == nil {
		c.words = []string{w.Whole}
	}
	d.lang.TermsOf(w, func(t string) {
		id, ok := d.ids[t]
		if !ok {
			id = uint32(len(d.ids))
			d.ids[strings.Clone(t)] = id
		}
		c.terms = append(c.terms, id)
	})
	return c
}

func (d *draft) add(id uint32) {
	p := d.pages[id]
	d.first = append(d.first, uint32(len(d.pieces)))
	of := make(fields, pageFields)
	of[inTitle] = d.terms(p.Title)
	of[inSummary] = d.terms(p.Summary)
	of[inKeywords] = d.terms(strings.Join(p.Keywords, " , "))
	of[inPath] = d.terms(pathWords(p))
	d.titles = append(d.titles, of[inTitle])
	var above []string
	for at, passage := range p.Passages {
		if d.common[passage.Text] {
			continue
		}
		for _, next := range newHeadings(above, passage.Headings) {
			of[inHeadings] = append(of[inHeadings], d.terms(next)...)
		}
		above = passage.Headings
		var headings []uint32
		for _, heading := range passage.Headings {
			headings = append(headings, d.terms(heading)...)
		}
		body := d.terms(passage.Text)
		of[inBody] = append(of[inBody], body...)
		d.inPieces = append(d.inPieces, fields{slices.Concat(headings, of[inTitle]), body})
		d.pieces = append(d.pieces, piece{page: id, at: at, terms: body})
	}
	d.inPages = append(d.inPages, of)
}

// newHeadings are those that did not stand above the passage before. One without a
// passage of its own is among them: what a piece has, its page has.
func newHeadings(before, now []string) []string {
	same := 0
	for same < min(len(before), len(now)) && before[same] == now[same] {
		same++
	}
	return now[same:]
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
