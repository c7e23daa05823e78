package index

// posting says how much of a term is in a page: its repeats in all fields, each
// with its boost and damped by its length.
type posting struct {
	page uint32
	amt  float32
	// best is the most of the term in one piece of the page.
	best float32
	// pieces is where the page's part of the term's pieces begins; the next
	// posting's pieces is where it ends.
	pieces uint32
}

// part is as much of a term as is in one piece.
type part struct {
	piece uint32
	amt   float32
}

// lists keep a list for each term in one array: from[t] is where that of t begins.
type lists[T any] struct {
	from []uint32
	all  []T
}

func (l lists[T]) of(term uint32) []T { return l.all[l.from[term]:l.from[term+1]] }

// newLists makes room for lists of texts, each with the terms of its fields.
func newLists[T any](terms int, texts []fields) lists[T] {
	l := lists[T]{from: make([]uint32, terms+1)}
	last := make([]int, terms) // the text that counted the term, plus 1
	for id, text := range texts {
		for _, field := range text {
			for _, t := range field {
				if last[t] != id+1 {
					last[t] = id + 1
					l.from[t+1]++
				}
			}
		}
	}
	for t := range terms {
		l.from[t+1] += l.from[t]
	}
	l.all = make([]T, l.from[terms], l.from[terms]+1)
	return l
}

// weigh tells for every term of every text how much of it there is. Texts come in
// order, so that the lists are in order, too.
func weigh[T any](l lists[T], texts []fields, weights []Field, tell func(at *T, text uint32, amt float32)) {
	average := averages(texts, len(weights))
	terms := len(l.from) - 1
	next := append([]uint32(nil), l.from[:terms]...)
	sums := make([]float32, terms)
	var seen []uint32
	for id, text := range texts {
		seen = seen[:0]
		for f, weight := range weights {
			damp := 1 - weight.Length + weight.Length*float64(len(text[f]))/average[f]
			one := float32(weight.Boost / damp)
			for _, t := range text[f] {
				if sums[t] == 0 {
					seen = append(seen, t)
				}
				sums[t] += one
			}
		}
		for _, t := range seen {
			tell(&l.all[next[t]], uint32(id), sums[t])
			next[t]++
			sums[t] = 0
		}
	}
}

// averages are the mean lengths of the fields, at least 1.
func averages(texts []fields, n int) []float64 {
	out := make([]float64, n)
	for _, text := range texts {
		for f := range out {
			out[f] += float64(len(text[f]))
		}
	}
	for f := range out {
		out[f] = max(out[f]/float64(max(len(texts), 1)), 1)
	}
	return out
}

// link tells each posting where its pieces are, and the most of them. first[page]
// is the first piece of a page. A posting at the end of all tells where the last
// one's pieces end: no term is in a piece that is not in its page.
func link(pages lists[posting], pieces lists[part], first []uint32) lists[posting] {
	for t := range len(pages.from) - 1 {
		at, end := pieces.from[t], pieces.from[t+1]
		list := pages.of(uint32(t))
		for i := range list {
			p := &list[i]
			p.pieces = at
			for ; at < end && pieces.all[at].piece < first[p.page+1]; at++ {
				p.best = max(p.best, pieces.all[at].amt)
			}
		}
	}
	pages.all = append(pages.all, posting{pieces: uint32(len(pieces.all))})
	return pages
}
