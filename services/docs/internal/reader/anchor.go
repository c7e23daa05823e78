package reader

import (
	"strconv"
	"strings"
	"unicode"
)

// anchors counts the headings of a page, so that equal ones get different names.
type anchors map[string]int

// of is the name that Markdown renderers give to a heading: lower case, spaces
// as hyphens, other marks gone, "-1" on the second of the same.
func (a anchors) of(title string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, title)
	n := a[name]
	a[name]++
	if n > 0 {
		name += "-" + strconv.Itoa(n)
	}
	return name
}
