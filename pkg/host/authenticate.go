package host

import (
	"errors"
	"net/http"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

// caller is who sends a request. Principal is nil for the one call that needs no
// authentication.
type caller struct {
	principal *identity.Principal
	address   string
	// message is the body, where it had to be read to find out who may send it.
	message *message
}

// authenticate judges the Authorization header before anything else of the
// request is looked at (contract §3). Where it gives false, it has answered.
func (g *Gate) authenticate(w http.ResponseWriter, r *http.Request, p *profile, address string) (*caller, bool) {
	credential, err := identity.ParseHeader(r.Header.Values("Authorization"))
	if errors.Is(err, identity.ErrNone) && p != nil && r.Method == http.MethodPost {
		if c, answered := g.anonymousPing(w, r, address); c != nil || answered {
			return c, c != nil
		}
	}
	if err != nil {
		g.challenge(w, r, p, address, refusalOfHeader(err))
		return nil, false
	}
	ctx, span := g.wiring.Tracer.Start(r.Context(), "authenticate")
	principal, err := g.wiring.Auth.Authenticate(ctx, credential, g.area.Name, address)
	span.End()
	if err != nil {
		g.challenge(w, r, p, address, g.refusalOfAuth(r, credential, err))
		return nil, false
	}
	return &caller{principal: principal, address: address}, true
}

// maxPing is the largest body that is read before the sender is known, in bytes.
const maxPing = 16 << 10

// anonymousPing lets a single tools/call of ping through without a header.
func (g *Gate) anonymousPing(w http.ResponseWriter, r *http.Request, address string) (c *caller, answered bool) {
	m, err := readMessage(w, r, maxPing)
	if err != nil || m.fault != nil || m.batch || m.method != methodCall || m.toolName() != toolPing {
		return nil, false // it gets the challenge, like everything else without a header
	}
	if !g.pings.take(address) {
		g.refuse(r, Refusal{Address: address, Status: http.StatusTooManyRequests, Message: "Too many pings"})
		retryAfter(w.Header(), 0)
		writeError(w, http.StatusTooManyRequests, m.id, codeTooMany, "Too many requests")
		return nil, true
	}
	return &caller{address: address, message: m}, false
}
