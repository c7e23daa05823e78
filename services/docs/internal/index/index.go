// Package index finds pages. It keeps the words of pages and passages in memory,
// analysed by the language of each page, and scores a question against both.
// What words mean is the business of its Words; how pages come to be, package
// corpus's. docs/adr/0015 says why it is not a general search engine.
package index

import (
	"maps"
	"slices"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// Words knows the other words for what was asked.
type Words interface {
	// Others gives, for a folded word of a question in language from, what stands
	// for it on pages in language to.
	Others(word string, from, to *analysis.Language) []Other
	// Phrases does so for runs of words, of which it gets the stems.
	Phrases(stems []string, from, to *analysis.Language) []Phrase
	// Knows says that the word is one of the language, even if no page has it.
	Knows(word string, l *analysis.Language) bool
}

// Other is a word, or several, of about the same meaning; Weight is up to 1.
type Other struct {
	Word   string
	Weight float64
}

// Phrase says that Len words from At on mean Other.
type Phrase struct {
	At, Len int
	Other
}

// Options say how an index works.
type Options struct {
	// Fold makes a page and its translations one result.
	Fold bool
	// Params are the scorer's numbers; the zero value means Tuned().
	Params Params
}

// Index is the pages of one collection. It does not change, and any number of
// searches may run at a time.
type Index struct {
	shelves    []*shelf
	fold       bool
	params     Params
	cover      [coverSteps + 2]float32
	k1         float32
	pieceK1    float32
	pieceShare float32 // what the best piece counts
	mostPieces float32 // what it counts at most together with the next
	twin       float32
	stems      memory[asking, string]
	fixes      memory[string, []Other] // of words that nobody knows
	words      Words
	spell      *speller
	entries    entries
}

// New makes an index of pages. It keeps the pages.
func New(pages []page.Page, words Words, o Options) *Index {
	return Prepare(pages, words).Index(o)
}

// Prepared is pages that were read and not weighed. Only who looks for good
// Params keeps one.
type Prepared struct {
	drafts []*draft
	words  Words
	spell  *speller
}

// Prepare reads pages. It keeps them.
func Prepare(pages []page.Page, words Words) *Prepared {
	p := &Prepared{words: words, spell: newSpeller()}
	by := map[string][]*page.Page{}
	groups := map[string]uint32{"": 0}
	for i := range pages {
		code := analysis.Of(pages[i].Lang).Code
		by[code] = append(by[code], &pages[i])
		if _, ok := groups[pages[i].Twin]; !ok {
			groups[pages[i].Twin] = uint32(len(groups))
		}
	}
	for _, code := range slices.Sorted(maps.Keys(by)) {
		p.drafts = append(p.drafts, newDraft(analysis.Of(code), by[code], groups, p.spell))
	}
	p.spell.finish()
	return p
}

// Index weighs the pages.
func (p *Prepared) Index(o Options) *Index {
	if o.Params == (Params{}) {
		o.Params = Tuned()
	}
	ix := &Index{fold: o.Fold, params: o.Params, k1: float32(o.Params.K1), pieceK1: float32(o.Params.PieceK1),
		pieceShare: float32(o.Params.PieceShare), mostPieces: float32(o.Params.PieceShare * (1 + o.Params.NextPiece)), twin: float32(o.Params.Twin),
		cover: coverTable(o.Params.Cover), words: p.words, spell: p.spell, entries: newEntries(p.drafts, o.Fold)}
	for _, d := range p.drafts {
		ix.shelves = append(ix.shelves, newShelf(d, o.Params))
	}
	return ix
}

// Languages are those of the pages, as codes.
func (ix *Index) Languages() []string {
	var codes []string
	for _, s := range ix.shelves {
		codes = append(codes, s.lang.Code)
	}
	return codes
}

// Hit is a page that was found.
type Hit struct {
	Page *page.Page
	// Passage is the part of the page that answers best; nil for a page without text.
	Passage *page.Passage
	// Score orders hits. It has no unit.
	Score float64
	// Share is Score as a part of what a page would have that holds every word of
	// the question often, in 0..1.
	Share float64
}
