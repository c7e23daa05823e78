// Package statement owns what can be said of SQL statements in SQLite's dialect
// without running them: how many there are, and whether they only read. It reads
// the tokens by SQLite's own rules and knows the few forms that certainly read;
// whatever it does not know counts as a write. It is no parser: a statement that
// SQLite would refuse may pass as a read, since it changes nothing.
package statement

import (
	"slices"
	"strings"
)

// Count is how many statements a text holds, empty ones left out; where its
// tokens cannot be told, how many it may hold at most.
func Count(text string) int {
	tokens, ok := scan(text)
	if !ok {
		return strings.Count(text, ";") + 1
	}
	return len(split(tokens))
}

// Reads reports whether every statement of a text certainly changes nothing. A
// text without any is no read: nobody knows what it stands for.
func Reads(text string) bool {
	tokens, ok := scan(text)
	statements := split(tokens)
	if !ok || len(statements) == 0 {
		return false
	}
	return !slices.ContainsFunc(statements, func(s []token) bool { return !reads(s) })
}

// split cuts tokens at the semicolons.
func split(tokens []token) [][]token {
	var out [][]token
	for len(tokens) > 0 {
		end := slices.IndexFunc(tokens, func(t token) bool { return t.kind == mark && t.text == ";" })
		if end < 0 {
			end = len(tokens)
		}
		if end > 0 {
			out = append(out, tokens[:end])
		}
		tokens = tokens[min(end+1, len(tokens)):]
	}
	return out
}

// reads judges one statement.
func reads(s []token) bool {
	if s[0].is("EXPLAIN") {
		s = s[1:]
		if len(s) > 1 && s[0].is("QUERY") && s[1].is("PLAN") {
			s = s[2:]
		}
		return len(s) > 0 && !s[0].is("EXPLAIN") && !s[0].is("PRAGMA") && reads(s)
	}
	switch {
	case len(s) == 0 || s[0].kind != word:
		return false
	case s[0].is("PRAGMA"):
		return pragmaReads(s[1:])
	case s[0].is("SELECT"), s[0].is("VALUES"), s[0].is("WITH"):
		return queryReads(s)
	}
	return false
}

// queryReads judges a query by its words: in SQLite no query can write without
// one of the verbs, or a function or table that does it for the query.
func queryReads(s []token) bool {
	for i, t := range s {
		next := token{}
		if i+1 < len(s) {
			next = s[i+1]
		}
		called := next.kind == mark && next.text == "("
		switch {
		case t.kind == mark || t.kind == number:
		case strings.HasPrefix(t.lower(), "pragma_"):
			// A table that is a pragma, also in quotes of any sort: SQLite takes a
			// text for a name where only a name fits.
			if !slices.Contains(readingPragmas, strings.TrimPrefix(t.lower(), "pragma_")) {
				return false
			}
		case t.kind == text:
		case t.kind == word && t.is("REPLACE") && called: // the function of that name
		case t.kind == word && verbs[t.upper()]:
			return false
		case called && !functions[t.lower()] && (t.kind == quoted || !beforeParen[t.upper()]) && !namesColumns(s[:i]):
			return false
		}
	}
	return true
}

// namesColumns reports whether a name stands where a common table expression
// gets one, so that the parenthesis after it holds columns.
func namesColumns(before []token) bool {
	if len(before) == 0 {
		return false
	}
	last := before[len(before)-1]
	if last.is("WITH") || last.is("RECURSIVE") {
		return true
	}
	return last.kind == mark && last.text == "," && before[0].is("WITH") && depth(before) == 0 && !hasWord(before, "SELECT")
}

func depth(s []token) int {
	n := 0
	for _, t := range s {
		switch {
		case t.kind == mark && t.text == "(":
			n++
		case t.kind == mark && t.text == ")":
			n--
		}
	}
	return n
}

// hasWord looks for a word outside of parentheses.
func hasWord(s []token, name string) bool {
	n := 0
	for _, t := range s {
		switch {
		case t.kind == mark && t.text == "(":
			n++
		case t.kind == mark && t.text == ")":
			n--
		case n == 0 && t.is(name):
			return true
		}
	}
	return false
}

// pragmaReads judges what follows PRAGMA: [schema.]name, name(argument) where
// the argument only says what to tell about, and never name = value.
func pragmaReads(s []token) bool {
	if len(s) > 2 && s[1].kind == mark && s[1].text == "." {
		s = s[2:]
	}
	if len(s) == 0 || s[0].kind != word {
		return false
	}
	name := s[0].lower()
	if len(s) == 1 {
		return slices.Contains(readingPragmas, name) || slices.Contains(tellingPragmas, name)
	}
	argument := len(s) == 4 && s[1].text == "(" && s[1].kind == mark && s[2].kind != mark && s[3].text == ")" && s[3].kind == mark
	return argument && slices.Contains(readingPragmas, name)
}
