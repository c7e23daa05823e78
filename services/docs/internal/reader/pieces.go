package reader

import (
	"strings"
	"unicode/utf8"
)

// A passage holds about this many characters: some 200 words, which is what an
// agent reads for one fact, and even enough in length that none wins by it.
const (
	passageSize = 1200
	passageMax  = 1800
)

// pieces joins lines into texts of the size of a passage. It cuts at an empty
// line once a piece is long enough and at any line once it is too long. A line
// that is too long alone is cut at a space.
func pieces(lines []string) []string {
	var out []string
	var b strings.Builder
	size := 0
	flush := func() {
		if text := strings.TrimSpace(b.String()); text != "" {
			out = append(out, text)
		}
		b.Reset()
		size = 0
	}
	for _, l := range lines {
		for _, part := range cutLong(l) {
			n := utf8.RuneCountInString(part) + 1
			if size+n > passageMax || size >= passageSize && strings.TrimSpace(part) == "" {
				flush()
			}
			b.WriteString(part)
			b.WriteByte('\n')
			size += n
		}
	}
	flush()
	return joinShort(out)
}

// joinShort puts a short last piece to the one before it.
func joinShort(texts []string) []string {
	n := len(texts)
	if n < 2 || utf8.RuneCountInString(texts[n-1]) > 200 ||
		utf8.RuneCountInString(texts[n-2])+utf8.RuneCountInString(texts[n-1]) > passageMax {
		return texts
	}
	texts[n-2] += "\n\n" + texts[n-1]
	return texts[:n-1]
}

// cutLong cuts a line into parts of at most passageSize characters.
func cutLong(line string) []string {
	if len(line) <= passageSize {
		return []string{line}
	}
	var parts []string
	runes := []rune(line)
	for len(runes) > passageSize {
		at := passageSize
		for at > passageSize/2 && runes[at] != ' ' {
			at--
		}
		if runes[at] != ' ' {
			at = passageSize
		}
		parts = append(parts, string(runes[:at]))
		runes = runes[at:]
	}
	return append(parts, string(runes))
}
