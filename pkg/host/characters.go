package host

import (
	"bytes"
	"strconv"
	"unicode/utf16"
)

// halfCharacter reports whether a text of valid JSON escapes one half of a
// character alone (\ud83d without what belongs to it). It stands for nothing that
// UTF-8 can write, and decoding would put � in its place without a word.
func halfCharacter(body []byte) bool {
	for {
		i := bytes.IndexByte(body, '\\') // only texts have it
		if i < 0 {
			return false
		}
		body = body[i:]
		first, escaped := unit(body)
		switch {
		case !escaped:
			body = body[2:]
		case !utf16.IsSurrogate(first):
			body = body[escapeLength:]
		default:
			second, _ := unit(body[escapeLength:])
			if utf16.DecodeRune(first, second) == '\uFFFD' {
				return true
			}
			body = body[2*escapeLength:]
		}
	}
}

// escapeLength is the length of \u1234.
const escapeLength = 6

// unit is the UTF-16 unit of the \u escape that body begins with, if it does.
func unit(body []byte) (r rune, ok bool) {
	if len(body) < escapeLength || body[0] != '\\' || body[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(body[2:escapeLength]), 16, 16)
	return rune(n), err == nil
}
