package token

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/fault"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/form"
)

// refreshToken exchanges a refresh token for its successor. A scope parameter
// changes nothing: what a session may do stands in its link, and the answer says it.
func (h *Handler) refreshToken(ctx context.Context, p form.Params, t *target) (*answer, error) {
	if p.Get("refresh_token") == "" {
		return nil, fault.New(fault.InvalidRequest, "refresh_token is missing.")
	}
	r, err := h.Grants.Rotate(ctx, identity.Secret(p.Get("refresh_token")), p.Get("client_id"), t.allowed)
	if err != nil {
		return nil, err
	}
	return h.answer(ctx, r, t)
}
