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
	for _, form := range credentialForms(authorization) {
		if bytes.Contains(body, form) {
			body = bytes.ReplaceAll(body, form, []byte(answers.Redacted))
		}
	}
	return body
}

// blank is Scrub for a content whose bytes have numbers: what it takes out keeps
// its length, so that the parts after it stay where they are.
func blank(body []byte, authorization identity.Secret) []byte {
	for _, form := range credentialForms(authorization) {
		if bytes.Contains(body, form) {
			body = bytes.ReplaceAll(body, form, bytes.Repeat([]byte("*"), len(form)))
		}
	}
	return body
}

// credentialForms are how a credential may stand in a text: as it is, and as JSON
// writes it. None where it is too short to be told from innocent text.
func credentialForms(authorization identity.Secret) [][]byte {
	credential := string(authorization)
	if _, value, ok := strings.Cut(credential, " "); ok {
		credential = strings.TrimSpace(value) // without its scheme, which an echo may leave out
	}
	if len(credential) < shortestCredential {
		return nil
	}
	escaped, err := json.Marshal(credential)
	if err != nil { // a string always encodes
		return nil
	}
	return [][]byte{[]byte(credential), bytes.Trim(escaped, `"`)}
}
