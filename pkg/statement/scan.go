package statement

import "strings"

type kind uint8

const (
	mark   kind = iota // punctuation, one byte each
	word               // a keyword or a bare name
	quoted             // a name in "…", `…` or […]
	text               // '…'
	number
)

type token struct {
	kind kind
	text string // without quotes
}

// is reports whether the token is this bare word.
func (t token) is(name string) bool { return t.kind == word && strings.EqualFold(t.text, name) }

func (t token) lower() string { return strings.ToLower(t.text) }
func (t token) upper() string { return strings.ToUpper(t.text) }

// byteOrderMark is white space to SQLite, and part of a name to anybody else.
const byteOrderMark = "\xef\xbb\xbf"

// scan reads the tokens as SQLite's own tokenizer does. ok is false where it
// would read them differently, or where a value comes from outside: what
// follows such a place cannot be known.
func scan(sql string) (tokens []token, ok bool) {
	if strings.Contains(sql, byteOrderMark) || strings.IndexByte(sql, 0) >= 0 {
		return nil, false
	}
	for len(sql) > 0 {
		t, rest, fine := next(sql)
		if !fine {
			return tokens, false
		}
		if t.kind != mark || t.text != " " {
			tokens = append(tokens, t)
		}
		sql = rest
	}
	return tokens, true
}

var blank = token{mark, " "}

// next takes one token off the front of sql, which is not empty.
func next(sql string) (t token, rest string, ok bool) {
	c := sql[0]
	switch {
	case strings.IndexByte(" \t\n\f\r", c) >= 0:
		return blank, sql[1:], true
	case strings.HasPrefix(sql, "--"):
		_, rest, _ = strings.Cut(sql, "\n")
		return blank, rest, true
	case strings.HasPrefix(sql, "/*") && len(sql) > 2:
		// Without an end it goes to the end of the text, as in SQLite.
		_, rest, _ = strings.Cut(sql[2:], "*/")
		return blank, rest, true
	case c == '\'':
		return closing(sql, text, '\'')
	case c == '"', c == '`':
		return closing(sql, quoted, c)
	case c == '[':
		name, rest, closed := strings.Cut(sql[1:], "]")
		return token{quoted, name}, rest, closed
	case isDigit(c), c == '.' && len(sql) > 1 && isDigit(sql[1]):
		n := span(sql, func(c byte) bool { return inName(c) || c == '.' })
		return token{number, sql[:n]}, sql[n:], true
	case inName(c) && c != '$':
		n := span(sql, inName)
		return token{word, sql[:n]}, sql[n:], true
	case strings.IndexByte("(),;.=<>!+-*/%&|~", c) >= 0:
		return token{mark, sql[:1]}, sql[1:], true
	}
	return token{}, "", false // ?1 :a @a $a #a and what is no SQL
}

// closing reads a quoted text, in which a doubled quote is one.
func closing(sql string, k kind, quote byte) (t token, rest string, ok bool) {
	var value strings.Builder
	for i := 1; i < len(sql); i++ {
		switch {
		case sql[i] != quote:
			value.WriteByte(sql[i])
		case i+1 < len(sql) && sql[i+1] == quote:
			value.WriteByte(quote)
			i++
		default:
			return token{k, value.String()}, sql[i+1:], true
		}
	}
	return token{}, "", false
}

func span(sql string, in func(byte) bool) int {
	n := 0
	for n < len(sql) && in(sql[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func inName(c byte) bool {
	return c == '_' || c == '$' || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
