// Package token answers token requests: one file per grant type, this one for
// what they share.
package token

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/audience"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/fault"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/form"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/grant"
)

// Clients says which client ids mean anything.
type Clients interface {
	Known(ctx context.Context, id string) (bool, error)
}

// Handler answers token requests.
type Handler struct {
	Clients Clients
	Grants  *grant.Grants
	Areas   *audience.Areas
	Now     func() time.Time
	Log     *slog.Logger
}

// answer is RFC 6749 §5.1's.
type answer struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"`
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, err := h.serve(w, r)
	if err != nil {
		if _, told := errors.AsType[*fault.Fault](err); !told {
			h.Log.WarnContext(r.Context(), "a token request was not answered", "error", err)
		}
		fault.Write(w, err)
		return
	}
	fault.WriteJSON(w, http.StatusOK, a)
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) (*answer, error) {
	p, err := form.Body(w, r)
	if err != nil {
		return nil, err
	}
	client := p.Get("client_id")
	if client == "" {
		return nil, fault.New(fault.InvalidClient, "client_id is missing.")
	}
	known, err := h.Clients.Known(r.Context(), client)
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, fault.New(fault.InvalidClient, "There is no such client. Register again.")
	}
	target, err := h.target(p)
	if err != nil {
		return nil, err
	}
	switch p.Get("grant_type") {
	case "authorization_code":
		return h.authorizationCode(r.Context(), p, target)
	case "refresh_token":
		return h.refreshToken(r.Context(), p, target)
	case "":
		return nil, fault.New(fault.InvalidRequest, "grant_type is missing.")
	default:
		return nil, fault.New(fault.UnsupportedGrantType, "grant_type must be authorization_code or refresh_token.")
	}
}

// target is what a token is asked for, and once its link was judged, what it is given.
type target struct {
	area     string // "" is every approved one
	approved []string
	readOnly bool
}

// target reads resource: a token for that area, or for every approved one.
func (h *Handler) target(p form.Params) (*target, error) {
	resources := p.All("resource")
	switch len(resources) {
	case 0:
		return &target{}, nil
	case 1:
	default:
		return nil, fault.New(fault.InvalidTarget, "A token is for one resource. Ask for one, or leave resource out.")
	}
	area, ok := h.Areas.Resource(resources[0])
	if !ok {
		return nil, fault.New(fault.InvalidTarget, "resource names nothing of this server.")
	}
	return &target{area: area}, nil
}

// allowed judges the link that the token would be of: it can be for approved
// areas only, whatever was approved when the session began.
func (t *target) allowed(l *link.Record) error {
	if l.Scope == nil || t.area != "" && !l.HasArea(t.area) {
		return fault.New(fault.InvalidTarget, "The person did not approve this resource. Begin again at the authorization endpoint.")
	}
	t.approved, t.readOnly = slices.Clone(l.Scope.Areas), l.Scope.ReadOnly || l.ReadOnly
	return nil
}

func (h *Handler) answer(ctx context.Context, r *grant.Record, t *target) (*answer, error) {
	pair, err := h.Grants.Pair(ctx, r, t.area)
	if err != nil {
		return nil, err
	}
	areas := t.approved
	if t.area != "" {
		areas = []string{t.area}
	}
	return &answer{
		AccessToken:  string(pair.Access),
		TokenType:    "Bearer",
		ExpiresIn:    max(0, int64(pair.AccessUntil.Sub(h.Now())/time.Second)),
		RefreshToken: string(pair.Refresh),
		Scope:        audience.Scope(areas, t.readOnly),
	}, nil
}
