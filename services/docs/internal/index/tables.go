package index

// tables are the sums of one search. They are used again, because most of a
// search would otherwise be spent on making them.
type tables struct {
	pages, pieces    amounts
	pageScore, found []float64 // by page
	pieceScore       []float64 // by piece
	marks            []uint64  // by term; see mark
}

func (s *shelf) tables() *tables {
	var t *tables
	select {
	case t = <-s.free:
	default:
		return &tables{
			pages: amounts{sum: make([]float64, len(s.pages))}, pieces: amounts{sum: make([]float64, len(s.pieces))},
			pageScore: make([]float64, len(s.pages)), found: make([]float64, len(s.pages)),
			pieceScore: make([]float64, len(s.pieces)),
			marks:      make([]uint64, len(s.ids)),
		}
	}
	clear(t.pageScore)
	clear(t.found)
	clear(t.pieceScore)
	return t
}

// maxFree is how many tables of a shelf wait for the next search. They are not
// left to the garbage collector (sync.Pool), since one has half a megabyte.
const maxFree = 8

func (s *shelf) giveBack(t *tables) {
	select {
	case s.free <- t:
	default:
	}
}

// amounts adds up a concept's terms, as if they were one word.
type amounts struct {
	sum     []float64
	touched []uint32
}

// gather gives the ids that have any of the concept's terms; take their sums.
func (a *amounts) gather(in [][]posting, c concept) []uint32 {
	a.touched = a.touched[:0]
	for _, t := range c.terms {
		for _, p := range in[t.id] {
			if a.sum[p.id] == 0 {
				a.touched = append(a.touched, p.id)
			}
			a.sum[p.id] += t.weight * float64(p.amt)
		}
	}
	return a.touched
}

func (a *amounts) take(id uint32) float64 {
	sum := a.sum[id]
	a.sum[id] = 0
	return sum
}
