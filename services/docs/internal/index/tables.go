package index

// tables are the sums of one search on a shelf. They are used again, because most
// of a search would otherwise be spent on making them; between searches all is 0.
type tables struct {
	cells    []cell      // by page
	pages    []uint32    // that have a word of the question
	touched  []uint32    // pages, or pieces of the page in hand, that have the concept in hand
	pieces   []pieceCell // of the page in hand
	meetings []meeting
	marks    []uint64 // by term; see mark
	marked   []uint64 // a bit for each term that has a mark
}

// cell is what a search knows of a page.
type cell struct {
	amt       float32 // of the concept in hand in the page
	best, one float32 // at most in one of its pieces, and at least
	score     float32 // of the page alone
	piece     float32 // what its best piece has at least
	pieces    float32 // what its best piece has at most
	met       uint32  // the last meeting, plus 1
	seen      bool    // its entry was looked at
	found     float32 // what the found concepts are worth
	has       uint64  // a bit for each concept that was found
}

// pieceCell is what a search knows of a piece.
type pieceCell struct {
	amt   float32 // of the concept in hand
	score float32
	has   uint64 // a bit for each concept that was found
}

// maxFree is how many tables of a shelf wait for the next search. They are not
// left to the garbage collector (sync.Pool), since one has some 100 KB.
const maxFree = 8

func (s *shelf) tables() *tables {
	select {
	case t := <-s.free:
		return t
	default:
		most := s.mostPieces()
		return &tables{
			cells: make([]cell, len(s.pages)), pages: make([]uint32, 0, len(s.pages)+1), touched: make([]uint32, 0, max(len(s.pages)+1, most)),
			pieces: make([]pieceCell, most), marks: make([]uint64, len(s.ids)), marked: make([]uint64, len(s.ids)/64+1),
		}
	}
}

// mostPieces is how many the page with the most has.
func (s *shelf) mostPieces() (most int) {
	for i := range s.pages {
		most = max(most, int(s.first[i+1]-s.first[i]))
	}
	return most
}

// giveBack clears what the search touched.
func (s *shelf) giveBack(t *tables) {
	for _, id := range t.pages {
		t.cells[id] = cell{}
	}
	t.pages, t.meetings = t.pages[:0], t.meetings[:0]
	select {
	case s.free <- t:
	default:
	}
}
