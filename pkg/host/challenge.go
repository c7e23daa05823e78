package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

// refused is one row of contract §3's table.
type refused struct {
	status    int
	code      int
	message   string
	authError string   // error= in WWW-Authenticate; "" names none
	challenge bool     // WWW-Authenticate belongs to the answer
	held      []string // areas that the caller has already
}

var (
	noHeader        = refused{http.StatusUnauthorized, codeUnauthorized, "No authentication provided", "", true, nil}
	malformed       = refused{http.StatusUnauthorized, codeUnauthorized, "Invalid authentication header format", "invalid_token", true, nil}
	badToken        = refused{http.StatusForbidden, codeUnauthorized, "Authentication failed", "", false, nil}
	badBearer       = refused{http.StatusUnauthorized, codeUnauthorized, "OAuth validation failed", "invalid_token", true, nil}
	wrongArea       = refused{http.StatusForbidden, codeUnauthorized, "Insufficient scope", "insufficient_scope", true, nil}
	paused          = refused{http.StatusForbidden, codeUnauthorized, "The person paused this agent", "", false, nil}
	authUnavailable = refused{http.StatusServiceUnavailable, codeInternal, "Authentication service unavailable", "", false, nil}
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
		refusal := wrongArea
		refusal.held = no.Areas
		return refusal
	case no.Kind == identity.RefusedPaused:
		return paused // and no challenge: asking for a new approval would help nobody
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
		w.Header().Set("WWW-Authenticate", g.challengeHeader(p, no))
	}
	if no.status == http.StatusServiceUnavailable {
		retryAfter(w.Header(), authPause)
	}
	writeError(w, no.status, nil, no.code, no.message)
}

// challengeHeader names the document of the very path that was asked, and every
// scope that the area has: what of it an agent gets, its person decides. Where
// the caller has other areas, their scopes stand there too, so that a client
// which asks for just what it reads here loses nothing.
func (g *Gate) challengeHeader(p *profile, no refused) string {
	path := mcpPath
	if p != nil {
		path = p.path
	}
	params := []string{
		fmt.Sprintf("resource_metadata=%q", g.at(resourceMeta+path)),
		fmt.Sprintf("scope=%q", strings.Join(scopesOf(append([]string{g.area.Name}, no.held...)), " ")),
	}
	if no.authError != "" {
		params = append([]string{fmt.Sprintf("error=%q", no.authError)}, params...)
	}
	return "Bearer " + strings.Join(params, ", ")
}

// scopes are those of this area (contract §4).
func (g *Gate) scopes() []string { return scopesOf([]string{g.area.Name}) }

func scopesOf(areas []string) []string {
	var scopes []string
	for i, area := range areas {
		if !slices.Contains(areas[:i], area) {
			scopes = append(scopes, area+":read", area+":write")
		}
	}
	return scopes
}
