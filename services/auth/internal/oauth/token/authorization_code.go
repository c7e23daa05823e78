package token

import (
	"context"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/fault"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/form"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/grant"
)

// authorizationCode exchanges a code for the first tokens of a session.
func (h *Handler) authorizationCode(ctx context.Context, p form.Params, t *target) (*answer, error) {
	if p.Get("code") == "" {
		return nil, fault.New(fault.InvalidRequest, "code is missing.")
	}
	r, err := h.Grants.Redeem(ctx, grant.Exchange{
		Code:        identity.Secret(p.Get("code")),
		ClientID:    p.Get("client_id"),
		RedirectURI: p.Get("redirect_uri"),
		Verifier:    p.Get("code_verifier"),
		Allowed:     t.allowed,
	})
	if err != nil {
		return nil, err
	}
	return h.answer(ctx, r, t)
}
