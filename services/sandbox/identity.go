package sandbox

import (
	"net/http"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
)

// identity answers the two paths that say who a token is (contract §3): the
// person, and the company. No document of an area has them.
func identity(c *call) (reply, bool) {
	var about any
	switch c.path {
	case "/identity/user":
		about = c.holder.Person
	case "/account/account":
		about = c.holder.Company
	default:
		return reply{}, false
	}
	if c.http.Method != http.MethodGet {
		return failed(&notAllowed{allow: http.MethodGet}), true
	}
	if !acceptsJSON(c.http.Header) {
		return failed(refusal.Header(http.StatusNotAcceptable, "Accept", "This answer comes as application/json only.")), true
	}
	return object(http.StatusOK, map[string]any{"data": about}), true
}
