// Package revoke answers revocation (RFC 7009): a client ends its own session,
// by the refresh token or by an access token of it.
package revoke

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/fault"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/form"
)

// Grants ends sessions. What is no token of the client is no error.
type Grants interface {
	Revoke(ctx context.Context, token identity.Secret, clientID string) error
}

// Handler answers revocations.
type Handler struct {
	Grants Grants
	Log    *slog.Logger
}

// ServeHTTP implements http.Handler. A token that is unknown or another client's
// gets the same 200 as one that was revoked: nobody learns here which are good.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, err := form.Body(w, r)
	switch {
	case err != nil:
	case p.Get("client_id") == "":
		err = fault.New(fault.InvalidClient, "client_id is missing.")
	case p.Get("token") == "":
		err = fault.New(fault.InvalidRequest, "token is missing.")
	default:
		if err = h.Grants.Revoke(r.Context(), identity.Secret(p.Get("token")), p.Get("client_id")); err != nil {
			h.Log.WarnContext(r.Context(), "a session could not be revoked", "error", err)
		}
	}
	if err != nil {
		fault.Write(w, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
}
