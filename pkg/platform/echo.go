package platform

import (
	"bytes"
	"encoding/json"

	answers "github.com/comporta-mcp/comporta/pkg/answer"
)

// Shorter secrets are looked for in errors only: in a good answer they stand in
// their own fields, which are masked, and would hit innocent text elsewhere.
const (
	shortestInError  = 4
	shortestInAnswer = 12
)

// scrubArguments takes what the caller sent as a secret out of what the platform
// says: errors quote the values they refuse, whole or their beginning.
func scrubArguments(body []byte, status int, r Request) []byte {
	least := shortestInAnswer
	if status/100 != 2 {
		least = shortestInError
	}
	for _, secret := range answers.SecretTexts(r.Tool, r.Args) {
		if len(secret) < least {
			continue
		}
		escaped, err := json.Marshal(secret)
		if err != nil { // a string always encodes
			continue
		}
		body = scrubEcho(body, []byte(secret), escaped[1:len(escaped)-1])
	}
	return body
}

// quoted is how much of the beginning of a secret is one already: platforms cut
// long values that they quote.
const quoted = 12

// scrubEcho takes every quotation of a secret out, those that were cut too; it is
// quoted in one of its forms.
func scrubEcho(body []byte, forms ...[]byte) []byte {
	var out []byte
	for {
		at, length := -1, 0
		for _, form := range forms {
			if i := bytes.Index(body, form[:min(len(form), max(quoted, len(form)/4))]); i >= 0 && (at < 0 || i < at) {
				at = i
			}
		}
		if at < 0 {
			return append(out, body...)
		}
		for _, form := range forms {
			length = max(length, alike(body[at:], form))
		}
		out = append(append(out, body[:at]...), answers.Redacted...)
		body = body[at+length:]
	}
}

// alike is how many bytes a and b have in common at their beginning.
func alike(a, b []byte) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
