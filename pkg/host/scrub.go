package host

import (
	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/platform"
)

// scrub takes the credential that a call ran with out of its finished answer,
// whatever tool made it. A dry run with the caller's own token is the one answer
// that holds it on purpose.
func scrub(body []byte, c *call.Call) []byte {
	if c.DryRun && c.Principal.Link.Scheme == identity.Token {
		return body
	}
	return platform.Scrub(body, c.Company.Authorization)
}
