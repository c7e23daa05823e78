// Package mask owns what must never be shown, wherever text of ours ends up:
// the shapes of credentials, and the names of fields that hold them. It knows
// shapes only; a secret without a shape is the business of who holds it.
package mask

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Word stands in the place of what was hidden.
const Word = "[redacted]"

// PersonalToken is the default shape of the platform's personal tokens (contract §3).
const PersonalToken = `azion[A-Za-z0-9]{35}`

// Masker hides credentials in text. It is safe for concurrent use.
type Masker struct{ whole []shape }

// shape is a credential that is one by itself. Text without must cannot hold it;
// to look for that first is some thirty times cheaper.
type shape struct {
	must    string
	pattern *regexp.Regexp
}

// scheme is an Authorization value: the scheme stays, what follows goes.
var scheme = regexp.MustCompile(`(?i)\b(bearer|token|basic)(\s+|%20|\+)([A-Za-z0-9._~+/=-]{6,})`)

// cookie is a cookie header, as text or in quotes, to the end of its line or string.
var cookie = regexp.MustCompile(`(?i)\b((?:set-)?cookie["']?\s*[:=]\s*\[?["']?)([^"'\r\n\]]+)`)

// pair is a credential beside its name, in a form, a URL, JSON or a log line.
var pair = regexp.MustCompile(`(?i)\b(access_token|refresh_token|id_token|client_secret|code_verifier|` +
	`password|passwd|private_key|secret_key|api_key|apikey|authorization_code)(\\?["']?\s*[:=]\s*\\?["']?)([^\s"'&,;}\\]+)`)

// code is an authorization code in a form or URL. "code" alone means too many other things.
var code = regexp.MustCompile(`\b(code)(=)([A-Za-z0-9._~-]{16,})`)

// userinfo is a name and password before a URL's host.
var userinfo = regexp.MustCompile(`\b([A-Za-z][A-Za-z0-9+.-]*://)[^\s/?#"'<>]*@`)

// parameter is a credential in a URL's query, by its name.
var parameter = regexp.MustCompile(`(?i)([?&;](?:[a-z0-9_.-]*(?:token|secret|passwd|password|pwd|passphrase|signature|api_?key|access_?key|credentials?)|sig|auth|authorization)=)[^&#;\s"'<>]+`)

// statement is a password in SQL: IDENTIFIED BY '…', PASSWORD '…', SET PASSWORD FOR … = '…'.
var statement = regexp.MustCompile(`(?is)\b((?:identified\s+(?:with\s+['"\x60]?\w+['"\x60]?\s+)?(?:by|as)|passw(?:or)?d(?:\s+for\s+\S+)?)` +
	`(?:\s*[=:]\s*|\s+)(?:password\s*\(\s*)?)(?:'(?:[^'\\]|''|\\.)*(?:'|\z)|"(?:[^"\\]|""|\\.)*(?:"|\z))`)

// New makes a masker. Each of more is the regular expression of a further kind
// of credential, for deployments whose personal tokens look different.
func New(more ...string) (*Masker, error) {
	shapes := []struct{ must, pattern string }{
		{"azion", PersonalToken},
		{"eyJ", `\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*`},                                    // a JWT
		{"_", `\b[a-z]{2,10}_[A-Za-z0-9-]{8,}\.[A-Za-z0-9]+\.[A-Za-z0-9]+\.[A-Za-z0-9_.-]{16,}`},                // a token of our own auth
		{"PRIVATE KEY", `-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|\\?\z)`}, // PEM, whole or cut
	}
	for _, pattern := range more {
		shapes = append(shapes, struct{ must, pattern string }{"", pattern})
	}
	m := &Masker{}
	for _, s := range shapes {
		compiled, err := regexp.Compile(s.pattern)
		if err != nil {
			return nil, fmt.Errorf("pattern of credentials to hide: %w", err)
		}
		m.whole = append(m.whole, shape{s.must, compiled})
	}
	return m, nil
}

// shortest is the length of the shortest text that can hold a credential by our shapes.
const shortest = 10

// Text gives s with every credential hidden.
func (m *Masker) Text(s string) string {
	if len(s) < shortest {
		return s
	}
	for _, w := range m.whole {
		if strings.Contains(s, w.must) {
			s = w.pattern.ReplaceAllLiteralString(s, Word)
		}
	}
	if strings.ContainsRune(s, '@') {
		s = userinfo.ReplaceAllString(s, "${1}"+Word+"@")
	}
	if strings.ContainsAny(s, "?&;") {
		s = parameter.ReplaceAllString(s, "${1}"+Word)
	}
	if strings.ContainsAny(s, `'"`) {
		s = statement.ReplaceAllString(s, "${1}'"+Word+"'")
	}
	named := strings.ContainsAny(s, ":=")
	if named {
		s = cookie.ReplaceAllStringFunc(s, maskCookie) // before scheme: it hides all of its line
	}
	if strings.ContainsAny(s, " \t\r\n%+") {
		s = scheme.ReplaceAllStringFunc(s, maskScheme)
	}
	if named {
		s = pair.ReplaceAllString(s, "${1}${2}"+Word)
		s = code.ReplaceAllString(s, "${1}${2}"+Word)
	}
	return s
}

// keyed is a part of a URL's path that is long and of no word: webhooks and intakes
// have their key there.
var keyed = regexp.MustCompile(`/[A-Za-z0-9_-]{24,}`)

// URL hides what looks like a credential in an address: a name and password, a
// key by its name in the query, and a path's part of 24 characters and more that
// has letters and digits.
func URL(address string) string {
	address = userinfo.ReplaceAllString(address, "${1}"+Word+"@")
	address = parameter.ReplaceAllString(address, "${1}"+Word)
	scheme, rest, found := strings.Cut(address, "://")
	host := strings.IndexByte(rest, '/')
	if !found || host < 0 {
		return address
	}
	path, query, asked := strings.Cut(rest[host:], "?")
	path = keyed.ReplaceAllStringFunc(path, func(part string) string {
		if !strings.ContainsFunc(part, unicode.IsDigit) || !strings.ContainsFunc(part, unicode.IsLetter) {
			return part
		}
		return "/" + Word
	})
	if asked {
		path += "?" + query
	}
	return scheme + "://" + rest[:host] + path
}

// maskScheme spares prose such as "token revocation": a credential is long or has a digit.
func maskScheme(found string) string {
	parts := scheme.FindStringSubmatch(found)
	value := parts[3]
	if len(value) < 20 && !strings.ContainsFunc(value, unicode.IsDigit) {
		return found
	}
	return parts[1] + parts[2] + Word
}

// maskCookie leaves alone what it masked before.
func maskCookie(found string) string {
	parts := cookie.FindStringSubmatch(found)
	if strings.TrimPrefix(parts[2], "[")+"]" == strings.TrimPrefix(Word, "[") {
		return found
	}
	return parts[1] + Word
}

// names are fields that hold credentials whatever their values look like.
var names = []string{
	"password", "passwd", "private_key", "secret", "secret_key", "client_secret", "token", "access_token",
	"refresh_token", "id_token", "personal_token", "api_key", "apikey", "authorization", "proxy_authorization",
	"cookie", "set_cookie", "credential", "credentials", "code_verifier", "passphrase",
}

// Name reports whether a field of this name holds a credential: "privateKey",
// "Private-Key" and "origin_private_key" are all private_key.
func Name(name string) bool {
	flat := flatten(name)
	return slices.ContainsFunc(names, func(n string) bool {
		return flat == n || strings.HasSuffix(flat, "_"+n)
	})
}

// flatten turns camelCase, kebab-case and Title-Case into snake_case.
func flatten(name string) string {
	var b strings.Builder
	previous := '_'
	for _, r := range name {
		switch {
		case r == '-' || r == ' ' || r == '.':
			r = '_'
		case unicode.IsUpper(r):
			if unicode.IsLower(previous) {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
		previous = r
	}
	return b.String()
}
