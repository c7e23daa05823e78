package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

// refused is one row of contract §3's table.
type refused struct {
	status    int
	code      int
	message   string
	authError string // error= in WWW-Authenticate; "" names none
	challenge bool   // WWW-Authenticate belongs to the answer
}

var (
	noHeader        = refused{http.StatusUnauthorized, codeUnauthorized, "No authentication provided", "", true}
	malformed       = refused{http.StatusUnauthorized, codeUnauthorized, "Invalid authentication header format", "invalid_token", true}
	badToken        = refused{http.StatusForbidden, codeUnauthorized, "Authentication failed", "", false}
	badBearer       = refused{http.StatusUnauthorized, codeUnauthorized, "OAuth validation failed", "invalid_token", true}
	wrongArea       = refused{http.StatusForbidden, codeUnauthorized, "Insufficient scope", "insufficient_scope", true}
	authUnavailable = refused{http.StatusServiceUnavailable, codeInternal, "Authentication service unavailable", "", false}
)

// authPause is what Retry-After says while auth cannot be asked.
const authPause = 2 * time.Second

func refusalOfHeader(err error) refused {
	if errors.Is(err, identity.ErrNone) {
		return noHeader
	}
	return malformed
}

func (g *Gate) refusalOfAuth(r *http.Request, c identity.Credential, err error) refused {
	no, ok := errors.AsType[*identity.Refused](err)
	switch {
	case !ok:
		if !errors.Is(r.Context().Err(), context.Canceled) {
			g.wiring.Log.WarnContext(r.Context(), "auth cannot be asked", "error", err)
		}
		return authUnavailable
	case no.Kind == identity.RefusedArea:
		return wrongArea
	case no.Kind == identity.RefusedToken, c.Scheme == identity.Token:
		return badToken
	default:
		return badBearer
	}
}

// challenge writes a refusal of authentication and records it.
func (g *Gate) challenge(w http.ResponseWriter, r *http.Request, p *profile, address string, no refused) {
	refusal := Refusal{Address: address, Status: no.status, Message: no.message}
	if p != nil {
		refusal.Profile = p.Name
	}
	g.refuse(r, refusal)
	if no.challenge {
		w.Header().Set("WWW-Authenticate", g.challengeHeader(p, no.authError))
	}
	if no.status == http.StatusServiceUnavailable {
		retryAfter(w.Header(), authPause)
	}
	writeError(w, no.status, nil, no.code, no.message)
}

// challengeHeader names the document of the very path that was asked, and every
// scope that the area has: what of it an agent gets, its person decides.
func (g *Gate) challengeHeader(p *profile, authError string) string {
	path := mcpPath
	if p != nil {
		path = p.path
	}
	params := []string{
		fmt.Sprintf("resource_metadata=%q", g.at(resourceMeta+path)),
		fmt.Sprintf("scope=%q", strings.Join(g.scopes(), " ")),
	}
	if authError != "" {
		params = append([]string{fmt.Sprintf("error=%q", authError)}, params...)
	}
	return "Bearer " + strings.Join(params, ", ")
}

// scopes are those of this area (contract §4).
func (g *Gate) scopes() []string {
	return []string{g.area.Name + ":read", g.area.Name + ":write"}
}
