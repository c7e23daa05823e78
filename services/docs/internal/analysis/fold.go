// Package analysis turns text into the terms that are indexed and asked for: it
// splits words and identifiers, folds case and accents, drops the words that
// carry nothing, and reduces a word to its stem by the rules of a language. It
// knows nothing of pages, weights or other words of the same meaning.
package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold gives the lower case of text without accents: "Configuração" and
// "CONFIGURACAO" are one word. Text that is not UTF-8 loses its broken bytes.
func Fold(text string) string {
	if isPlain(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(text, " ")) {
		if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// isPlain says that Fold would change nothing.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}
