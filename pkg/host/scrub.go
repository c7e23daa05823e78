package host

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/identity"
)

// shortestCredential: replacing anything shorter would hit innocent text.
const shortestCredential = 8

// scrub takes the credential that a call ran with out of its finished answer.
// Platforms and proxies echo headers in their errors, and no tool can know which
// field such an echo lands in. A dry run with the caller's own token is the one
// answer that holds it on purpose.
func scrub(body []byte, c *call.Call) []byte {
	if c.DryRun && c.Principal.Link.Scheme == identity.Token {
		return body
	}
	credential := string(c.Company.Authorization)
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
			body = bytes.ReplaceAll(body, form, []byte(answer.Redacted))
		}
	}
	return body
}
