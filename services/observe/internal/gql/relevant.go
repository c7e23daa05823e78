package gql

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/vektah/gqlparser/v2/ast"
)

// Relevant is the data sets, those that share most words with a goal first, and
// those that are deprecated last.
func (s *Schema) Relevant(goal string) []string {
	wanted := map[string]bool{}
	for _, w := range words(goal) {
		wanted[w] = true
	}
	score := map[string]int{}
	sets := s.dataSets()
	for _, f := range sets {
		said := map[string]bool{}
		for _, w := range append(words(f.Name), words(f.Description)...) {
			said[w] = true
		}
		const ofItself = 3 // a word of the data set's own weighs more than one of its fields
		score[f.Name] = ofItself*shared(wanted, said) + shared(wanted, s.fieldWords(f))
		if f.Directives.ForName("deprecated") != nil {
			score[f.Name] = -1
		}
	}
	slices.SortStableFunc(sets, func(a, b *ast.FieldDefinition) int { return cmp.Compare(score[b.Name], score[a.Name]) })
	var names []string
	for _, f := range sets {
		names = append(names, f.Name)
	}
	return names
}

func (s *Schema) fieldWords(f *ast.FieldDefinition) map[string]bool {
	said := map[string]bool{}
	if d := s.types.Types[f.Type.Name()]; d != nil {
		for _, inner := range d.Fields {
			for _, w := range words(inner.Name) {
				said[w] = true
			}
		}
	}
	return said
}

func shared(a, b map[string]bool) (n int) {
	for w := range maps.Keys(a) {
		if b[w] {
			n++
		}
	}
	return n
}

// words are the words of a text or of a name such as httpMetrics, in lower case
// and without the s of a plural.
func words(text string) []string {
	var spaced strings.Builder
	lower := false
	for _, r := range text {
		if unicode.IsUpper(r) && lower {
			spaced.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		spaced.WriteRune(unicode.ToLower(r))
	}
	all := strings.FieldsFunc(spaced.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range all {
		if len(w) > 3 {
			all[i] = strings.TrimSuffix(w, "s")
		}
	}
	return all
}
