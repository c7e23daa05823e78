package analysis

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord bounds a word in bytes: longer ones are keys, hashes and data URLs,
// which nobody types. They are skipped, but not the words inside a long URL.
const maxWord = 64

// Word is a run of letters and digits, or several joined as in an identifier.
type Word struct {
	// Whole is the word as written, folded: "cache_settings", "--auto", "next.js";
	// "" where it is too long to be asked for.
	Whole string
	// Parts are the words inside an identifier, folded; nil for a plain word.
	Parts []string
}

// Split yields the words of text in order.
func Split(text string, yield func(Word)) {
	Chunks(text, func(chunk string) {
		if w, ok := Read(chunk); ok {
			yield(w)
		}
	})
}

// Chunks yields the words of text as they are written, which Read reads. Who has
// much text reads each different chunk once.
func Chunks(text string, yield func(chunk string)) {
	for start := 0; start < len(text); {
		if c := text[start]; c < utf8.RuneSelf && !plainWord[c] && !strings.ContainsRune("-.@$", rune(c)) {
			start++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[start:])
		if !isWordRune(r) && !opensWord(text[start:]) {
			start += size
			continue
		}
		end := start + wordEnd(text[start:])
		yield(text[start:end])
		start = end
	}
}

// opensWord says that a mark in front of a word belongs to it: "--auto", ".dump", "@aws".
func opensWord(text string) bool {
	rest := strings.TrimLeft(text, "-.@$")
	marks := len(text) - len(rest)
	if marks == 0 || marks > 2 || rest == "" {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLetter(r)
}

// wordEnd is where the word at the start of text ends: joining marks count only
// between word runes.
func wordEnd(text string) int {
	end := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case isWordRune(r):
			end = i + size
		case end == 0 && strings.ContainsRune("-.@$", r): // opening marks
		case strings.ContainsRune("_-.:/@'’", r) && end == i:
			if r == ':' && strings.HasPrefix(text[i:], "://") {
				size = 3
			}
		case r == ',' && end == i && i > 0 && i+1 < len(text) && isDigit(text[i-1]) && isDigit(text[i+1]):
		default:
			return end
		}
		if end > 0 && i+size-end > 3 {
			return end
		}
		i += size
	}
	return end
}

// plainWord are the ASCII letters and digits.
var plainWord = func() (set [utf8.RuneSelf]bool) {
	for c := range set {
		set[c] = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
	}
	return set
}()

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return plainWord[r]
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// Read reads a chunk; false where nothing is left of it.
func Read(chunk string) (Word, bool) {
	if isPlainWord(chunk) {
		return Word{Whole: chunk}, len(chunk) <= maxWord
	}
	var parts []string
	for _, piece := range strings.FieldsFunc(chunk, func(r rune) bool { return !isWordRune(r) }) {
		if len(piece) <= maxWord {
			parts = append(parts, humps(piece)...)
		}
	}
	if digits, ok := number(chunk); ok {
		return Word{Whole: digits}, true
	}
	whole := Fold(chunk)
	for i := range parts {
		parts[i] = Fold(parts[i])
	}
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" }) // lone accents
	if len(parts) == 0 {
		return Word{}, false
	}
	if len(parts) == 1 && parts[0] == whole {
		return Word{Whole: whole}, true
	}
	if len(whole) > maxWord {
		whole = ""
	}
	return Word{Whole: whole, Parts: parts}, true
}

// isPlainWord says that a chunk is small letters and digits: most are.
func isPlainWord(chunk string) bool {
	for i := range len(chunk) {
		if c := chunk[i]; c >= utf8.RuneSelf || !plainWord[c] || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return chunk != ""
}

// number reads "10.000" and "10,000" as 10000, which is how people ask for it.
func number(raw string) (string, bool) {
	groups := strings.FieldsFunc(raw, func(r rune) bool { return r == '.' || r == ',' })
	if len(groups) < 2 || len(groups[0]) > 3 {
		return "", false
	}
	for i, g := range groups {
		if i > 0 && len(g) != 3 || strings.Trim(g, "0123456789") != "" {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

// humps splits createHmac, HTTPServer and KVStore where their case tells.
func humps(word string) []string {
	runes := []rune(word)
	var out []string
	start := 0
	for i := 1; i < len(runes); i++ {
		lowerToUpper := unicode.IsLower(runes[i-1]) && unicode.IsUpper(runes[i])
		endOfCapitals := i+1 < len(runes) && unicode.IsUpper(runes[i-1]) && unicode.IsUpper(runes[i]) && unicode.IsLower(runes[i+1])
		if (lowerToUpper || endOfCapitals) && i-start > 1 {
			out = append(out, string(runes[start:i]))
			start = i
		}
	}
	return append(out, string(runes[start:]))
}
