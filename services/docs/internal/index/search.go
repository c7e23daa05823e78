package index

import (
	"slices"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
)

// Search gives the best n pages for a question of any text. lang names the
// language of the pages that are wanted; "" means all.
func (ix *Index) Search(text, lang string, n int) []Hit {
	q := read(text)
	hits := make([]hit, 0, (len(ix.shelves)+1)*ix.params.Rerank)
	for i, s := range ix.shelves {
		wanted := lang == "" || analysis.Of(lang) == s.lang
		if wanted || ix.fold {
			hits = ix.rank(hits, i, q, wanted)
		}
	}
	if ix.fold {
		hits = ix.lend(hits, lang)
	}
	ix.order(hits)
	return ix.best(hits, n)
}

// lend gives a page a share of what its translations score: they say the same,
// and the question may meet the other page's words. A wanted translation that was
// not found itself is found by that.
func (ix *Index) lend(hits []hit, lang string) []hit {
	scores := make([]float64, ix.groups*len(ix.shelves)) // of group g on shelf s, at g*shelves+s
	place := func(h hit) (group, at int) {
		group = int(ix.shelves[h.shelf].groups[h.page])
		return group, group*len(ix.shelves) + h.shelf
	}
	for _, h := range hits {
		if group, at := place(h); group != 0 {
			scores[at] = max(scores[at], h.score)
		}
	}
	if lang != "" {
		hits = ix.withTwins(hits, scores)
	}
	for i := range hits {
		group, at := place(hits[i])
		if group == 0 {
			continue
		}
		for j := range ix.shelves {
			if other := group*len(ix.shelves) + j; other != at {
				hits[i].score += ix.params.Twin * scores[other]
			}
		}
	}
	return hits
}

// withTwins adds the wanted translations of pages that were found only in a
// language that is not wanted.
func (ix *Index) withTwins(hits []hit, scores []float64) []hit {
	for _, h := range hits[:len(hits):len(hits)] {
		if h.wanted {
			continue
		}
		group := ix.shelves[h.shelf].groups[h.page]
		if group == 0 {
			continue
		}
		for i, s := range ix.shelves {
			id, ok := s.twins[group]
			at := int(group)*len(ix.shelves) + i
			if i == h.shelf || !ok || scores[at] != 0 {
				continue
			}
			hits = append(hits, hit{shelf: i, page: id, piece: s.first[id], share: h.share * ix.params.Twin, factor: s.weights[id], wanted: true})
		}
	}
	return hits
}

// best takes the first n, and of a page and its translations the first.
func (ix *Index) best(hits []hit, n int) []Hit {
	out := make([]Hit, 0, min(n, len(hits)))
	told := make([]uint32, 0, n)
	for _, h := range hits {
		if len(out) == n {
			break
		}
		group := ix.shelves[h.shelf].groups[h.page]
		if !h.wanted || ix.fold && group != 0 && slices.Contains(told, group) {
			continue
		}
		told = append(told, group)
		out = append(out, ix.hit(h))
	}
	return out
}
