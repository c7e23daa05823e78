package learn

import (
	"cmp"
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// segment is a short text and its translation, as numbers of words.
type segment struct{ from, to []int }

// maxSegment is the longest text in words that tells which word is which.
const maxSegment = 60

// vocabulary numbers the stems of a language and remembers how they are written.
type vocabulary struct {
	ids   map[string]int
	spelt []map[string]int
}

type names struct{ from, to vocabulary }

func newNames() *names {
	return &names{vocabulary{ids: map[string]int{}}, vocabulary{ids: map[string]int{}}}
}

// common is the most frequent spelling of a stem.
func (v *vocabulary) common(id int) string {
	best := ""
	for word, n := range v.spelt[id] {
		if m := v.spelt[id][best]; n > m || n == m && cmp.Less(word, best) {
			best = word
		}
	}
	return best
}

func (v *vocabulary) words(text string, lang *analysis.Language) []int {
	var out []int
	analysis.Split(text, func(w analysis.Word) {
		if w.Parts != nil || lang.Stop(w.Whole) || len(w.Whole) < 2 || strings.ContainsAny(w.Whole, "0123456789") {
			return
		}
		stem := lang.Stem(w.Whole)
		id, ok := v.ids[stem]
		if !ok {
			id = len(v.spelt)
			v.ids[stem] = id
			v.spelt = append(v.spelt, map[string]int{})
		}
		v.spelt[id][w.Whole]++
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	})
	return out
}

// appendSegments pairs titles, summaries and, where both pages have the same
// structure, headings and lines.
func appendSegments(segments []segment, n *names, from, to *page.Page) []segment {
	add := func(a, b string) {
		s := segment{n.from.words(a, analysis.Of(from.Lang)), n.to.words(b, analysis.Of(to.Lang))}
		if len(s.from) > 0 && len(s.to) > 0 && len(s.from) <= maxSegment && len(s.to) <= maxSegment {
			segments = append(segments, s)
		}
	}
	add(from.Title, to.Title)
	add(from.Summary, to.Summary)
	a, b := sections(from), sections(to)
	if len(a) != len(b) {
		return segments
	}
	for i := range a {
		add(a[i].heading, b[i].heading)
		if len(a[i].lines) != len(b[i].lines) {
			continue
		}
		for j := range a[i].lines {
			add(a[i].lines[j], b[i].lines[j])
		}
	}
	return segments
}

type part struct {
	heading string
	lines   []string
}

// sections joins the passages of a heading again and leaves code out.
func sections(p *page.Page) []part {
	var out []part
	anchor := "\x00"
	code := false
	for _, passage := range p.Passages {
		if passage.Anchor != anchor {
			anchor = passage.Anchor
			heading := ""
			if n := len(passage.Headings); n > 0 {
				heading = passage.Headings[n-1]
			}
			out = append(out, part{heading: heading})
		}
		last := &out[len(out)-1]
		for l := range strings.SplitSeq(passage.Text, "\n") {
			if strings.HasPrefix(l, "```") {
				code = !code
			}
			if !code && strings.TrimSpace(l) != "" {
				last.lines = append(last.lines, l)
			}
		}
	}
	return out
}
