package index

// tables are the sums of one search on a shelf. They are used again, because most
// of a search would otherwise be spent on making them; between searches all is 0.
type tables struct {
	cells   []cell    // by page
	pages   []uint32  // that have a word of the question
	touched []uint32  // pages, or pieces, that have the concept in hand
	amts    []float32 // by piece: of the concept in hand
	scores  []float32 // by piece
	marks   []uint64  // by term; see mark
	marked  []uint64  // a bit for each term that has a mark
	best    []candidate
}

// cell is what a search knows of a page.
type cell struct {
	amt, most    float32 // of the concept in hand: in the page, and at most in one of its pieces
	score, found float32 // of the page alone; what the found concepts are worth
	bound        float32 // what its best piece can add at most
	chosen       bool    // its pieces are looked at
}

// maxFree is how many tables of a shelf wait for the next search. They are not
// left to the garbage collector (sync.Pool), since one has some 100 KB.
const maxFree = 8

func (s *shelf) tables() *tables {
	select {
	case t := <-s.free:
		return t
	default:
		return &tables{
			cells: make([]cell, len(s.pages)), amts: make([]float32, len(s.pieces)), scores: make([]float32, len(s.pieces)),
			marks: make([]uint64, len(s.ids)), marked: make([]uint64, len(s.ids)/64+1),
		}
	}
}

// giveBack clears what the search touched.
func (s *shelf) giveBack(t *tables) {
	for _, id := range t.pages {
		if t.cells[id].chosen {
			clear(t.scores[s.first[id]:s.first[id+1]])
		}
		t.cells[id] = cell{}
	}
	t.pages, t.best = t.pages[:0], t.best[:0]
	select {
	case s.free <- t:
	default:
	}
}
