package index

import (
	"cmp"
	"slices"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
)

// Search gives the best n pages for a question of any text. lang names the
// language of the pages that are wanted; "" means all.
func (ix *Index) Search(question, lang string, n int) []Hit {
	var hits []hit
	for i, s := range ix.shelves {
		wanted := lang == "" || analysis.Of(lang) == s.lang
		if !wanted && !ix.fold {
			continue
		}
		for _, h := range ix.rank(s, question) {
			h.shelf, h.wanted = i, wanted
			hits = append(hits, h)
		}
	}
	if ix.fold {
		hits = lend(ix.withTwins(hits, lang), ix.params.Twin)
	}
	for i := range hits {
		hits[i].Score *= hits[i].factor
	}
	slices.SortFunc(hits, compare)
	return ix.best(hits, n)
}

// hit is a Hit on its way.
type hit struct {
	Hit
	shelf  int
	page   uint32
	piece  uint32
	hasOne bool    // piece is one
	factor float64 // by the page's weight and language
	wanted bool
}

// compare puts better hits first; equal ones have a fixed order.
func compare(a, b hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Page.Path, b.Page.Path),
		cmp.Compare(a.Page.Route, b.Page.Route), cmp.Compare(a.Page.Method, b.Page.Method), cmp.Compare(a.shelf, b.shelf))
}

// lend gives a page a share of what its translations score: they say the same,
// and the question may meet the other page's words.
func lend(hits []hit, share float64) []hit {
	type twin struct {
		name  string
		shelf int
	}
	sums, own := map[string]float64{}, map[twin]float64{}
	for _, h := range hits {
		if h.Page.Twin != "" {
			sums[h.Page.Twin] += h.Score
			own[twin{h.Page.Twin, h.shelf}] = max(own[twin{h.Page.Twin, h.shelf}], h.Score)
		}
	}
	for i, h := range hits {
		if h.Page.Twin != "" {
			hits[i].Score += share * (sums[h.Page.Twin] - own[twin{h.Page.Twin, h.shelf}])
		}
	}
	return hits
}

// withTwins adds the wanted translations of pages that were found only in a
// language that is not wanted.
func (ix *Index) withTwins(hits []hit, lang string) []hit {
	if lang == "" {
		return hits
	}
	here := map[string]bool{}
	for _, h := range hits {
		if h.wanted {
			here[h.Page.Twin] = true
		}
	}
	found := len(hits)
	for _, h := range hits[:found:found] {
		if here[h.Page.Twin] {
			continue
		}
		for i, s := range ix.shelves {
			id, ok := s.twins[h.Page.Twin]
			if ok && analysis.Of(lang) == s.lang && !here[h.Page.Twin] {
				here[h.Page.Twin] = true
				twin := s.bare(id)
				twin.shelf, twin.wanted = i, true
				twin.Share = h.Share * ix.params.Twin
				hits = append(hits, twin)
			}
		}
	}
	return hits
}

// best takes the first n, and of a page and its translations the first.
func (ix *Index) best(hits []hit, n int) []Hit {
	out := make([]Hit, 0, min(n, len(hits)))
	told := map[string]bool{}
	for _, h := range hits {
		if len(out) == n {
			break
		}
		if !h.wanted || ix.fold && h.Page.Twin != "" && told[h.Page.Twin] {
			continue
		}
		told[h.Page.Twin] = true
		h.Share = min(1, h.Share*h.factor)
		out = append(out, h.Hit)
	}
	return out
}
