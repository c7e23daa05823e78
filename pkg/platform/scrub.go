package platform

import (
	"bytes"
	"encoding/json"
	"strings"

	answers "github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/identity"
)

// shortestCredential: replacing anything shorter would hit innocent text.
const shortestCredential = 8

// Scrub takes a credential out of text that may echo it: platforms and proxies
// put headers into their errors, and nobody can know which field such an echo
// lands in. It gives body itself where there is nothing to take out.
func Scrub(body []byte, authorization identity.Secret) []byte {
	credential := string(authorization)
	if _, value, ok := strings.Cut(credential, " "); ok {
		credential = strings.TrimSpace(value) // without its scheme, which an echo may leave out
	}
	if len(credential) < shortestCredential {
		return body
	}
	escaped, err := json.Marshal(credential)
	if err != nil { // a string always encodes
		return body
	}
	for _, form := range [][]byte{[]byte(credential), bytes.Trim(escaped, `"`)} {
		if bytes.Contains(body, form) {
			body = bytes.ReplaceAll(body, form, []byte(answers.Redacted))
		}
	}
	return body
}
