package mcpconfig

import "bytes"

// StripComments makes JSON of JSON with comments and trailing commas, as VS Code
// and others write it. Every other byte stays where it was, so that positions in
// errors are right.
func StripComments(text []byte) []byte {
	out := append([]byte(nil), text...)
	comma := -1 // a comma that nothing has followed yet
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			comma = -1
			i = endOfString(out, i)
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			i = blank(out, i)
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return out
}

// endOfString is where the string that begins at i ends.
func endOfString(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// blank overwrites the comment that begins at i and gives its last byte. Line ends
// stay.
func blank(text []byte, i int) int {
	end := len(text)
	if text[i+1] == '/' {
		if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
			end = i + n
		}
	} else if n := bytes.Index(text[i+2:], []byte("*/")); n >= 0 {
		end = i + 2 + n + 2
	}
	for ; i < end; i++ {
		if text[i] != '\n' {
			text[i] = ' '
		}
	}
	return end - 1
}
