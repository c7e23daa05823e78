package index

import (
	"slices"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// shelf is the pages of one language, and how their words are found. Terms,
// pages and pieces are numbers.
type shelf struct {
	text
	inPages  lists[posting] // by term
	inPieces lists[part]
	heaviest float32 // the greatest of weights

	free chan *tables
	// concepts remembers what words of questions mean here.
	concepts memory[asking, concept]
}

// text is what was read of a shelf's pages, before it is weighed.
type text struct {
	lang    *analysis.Language
	pages   []*page.Page
	ids     map[string]uint32 // of terms
	pieces  []piece
	first   []uint32   // of page i: its first piece; one more at the end
	titles  [][]uint32 // of page i: the terms of its title, in order
	groups  []uint32   // of page i: the number of its Twin; 0: none
	weights []float32  // of page i: its own factor
}

// piece is a passage in the index.
type piece struct {
	page  uint32
	at    int      // its place in the page's Passages
	terms []uint32 // in order
}

func newShelf(d *draft, p Params) *shelf {
	s := &shelf{text: d.text, free: make(chan *tables, maxFree)}
	s.inPages, s.inPieces = d.weigh(p)
	s.heaviest = slices.Max(s.weights)
	return s
}

// weigh makes the lists. The last ones are used again where the fields' numbers
// are the same.
func (d *draft) weigh(p Params) (lists[posting], lists[part]) {
	if d.last.page == p.Page && d.last.piece == p.Piece {
		return d.last.inPages, d.last.inPieces
	}
	pages, pieces := newLists[posting](len(d.ids), d.inPages), newLists[part](len(d.ids), d.inPieces)
	weigh(pages, d.inPages, p.Page[:], func(at *posting, page uint32, amt float32) { *at = posting{page: page, amt: amt} })
	weigh(pieces, d.inPieces, p.Piece[:], func(at *part, piece uint32, amt float32) { *at = part{piece, amt} })
	pages = link(pages, pieces, d.first)
	d.last = weighed{p.Page, p.Piece, pages, pieces}
	return pages, pieces
}

// weighed are lists and the numbers that they were made with.
type weighed struct {
	page     [pageFields]Field
	piece    [pieceFields]Field
	inPages  lists[posting]
	inPieces lists[part]
}

// pagesWith is how many pages have a term.
func (s *shelf) pagesWith(term uint32) int { return int(s.inPages.from[term+1] - s.inPages.from[term]) }
