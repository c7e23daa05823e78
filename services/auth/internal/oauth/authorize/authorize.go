// Package authorize is the authorization endpoint and its page: it judges a
// client's request, shows its person who asks and for what, and answers the
// client with what the person decided. Who the person is, package signin knows;
// what a code is worth, package grant.
package authorize

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/quota"
	"github.com/comporta-mcp/comporta/services/auth/internal/consent"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/audience"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/client"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/grant"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
	"github.com/comporta-mcp/comporta/services/auth/internal/signin"
)

// Clients finds clients; *client.Clients does.
type Clients interface {
	Get(ctx context.Context, id string) (*client.Client, error)
}

// Approver keeps a client that a person approved; *client.Registry does.
type Approver interface {
	Approved(ctx context.Context, id string) error
}

// Links joins persons and clients; *link.Links does.
type Links interface {
	Of(ctx context.Context, person int64, client string) (*link.Record, error)
	Join(ctx context.Context, person int64, client string, change func(*link.Record) error) (*link.Record, error)
}

// Grants gives codes; *grant.Grants does.
type Grants interface {
	Begin(ctx context.Context, b grant.Begin) (identity.Secret, error)
}

// Limiter counts over all replicas; *quota.Limiter does.
type Limiter interface {
	Take(ctx context.Context, subject string, lim quota.Limit) (wait time.Duration, err error)
}

// Handler answers below /authorize.
type Handler struct {
	Issuer   string
	Base     string // path of the issuer
	Areas    *audience.Areas
	Rules    client.Rules
	Clients  Clients
	Approver Approver
	Links    Links
	Grants   Grants
	Requests *Requests
	Consent  *consent.Maker
	Sessions *signin.Sessions
	SignIn   *signin.Handler
	Cookies  signin.Cookies
	Pages    *page.Pages
	Limiter  Limiter
	PerAddr  quota.Limit
	Address  func(*http.Request) string
	Longest  time.Duration // of a session: contract §4
	Now      func() time.Time
	Log      *slog.Logger
}
