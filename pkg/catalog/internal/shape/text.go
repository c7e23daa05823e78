package shape

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// enumLine is how generators repeat an enum in prose: * `http` - HTTP.
var enumLine = regexp.MustCompile("^\\s*\\* `[^`]*` - \\S.*$")

// Summary makes a document's text fit for a list: one paragraph, no repeated
// enums, at most limit characters, ended at a sentence where one ends in time.
func Summary(text string, limit int) string { return shorten(text, limit) }

func shorten(text string, limit int) string {
	var kept []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !enumLine.MatchString(line) {
			kept = append(kept, line)
		}
	}
	text = strings.Join(strings.Fields(strings.Join(kept, " ")), " ")
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	short := string([]rune(text)[:limit])
	if i := strings.LastIndex(short, ". "); i > limit/3 {
		return short[:i+1]
	}
	return cut(text, limit)
}

// cut ends a text at a word.
func cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	short := string([]rune(text)[:limit])
	if i := strings.LastIndexByte(short, ' '); i > limit/2 {
		short = short[:i]
	}
	return strings.TrimRight(short, " ,;:") + "…"
}

func capital(word string) string {
	r, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(r)) + word[size:]
}

// describe writes sentences as the description; one alone stays as it was written.
func (o *object) describe(sentences ...string) {
	var out string
	for _, sentence := range sentences {
		switch {
		case sentence == "":
		case out == "":
			out = sentence
		default:
			out = ended(out) + " " + ended(sentence)
		}
	}
	if out != "" {
		o.set("description", out)
	}
}

func ended(sentence string) string {
	if r, _ := utf8.DecodeLastRuneInString(sentence); strings.ContainsRune(".!?…:", r) {
		return sentence
	}
	return sentence + "."
}
