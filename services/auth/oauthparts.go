package auth

import (
	"net/http"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/quota"
	"github.com/comporta-mcp/comporta/services/auth/internal/approve"
	"github.com/comporta-mcp/comporta/services/auth/internal/consent"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/audience"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/authorize"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/client"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/metadata"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/register"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/revoke"
	oauthtoken "github.com/comporta-mcp/comporta/services/auth/internal/oauth/token"
	"github.com/comporta-mcp/comporta/services/auth/internal/roots"
	"github.com/comporta-mcp/comporta/services/auth/internal/signin"
	"github.com/comporta-mcp/comporta/services/auth/internal/vault"
	"github.com/comporta-mcp/comporta/services/auth/internal/web"
)

// oauthParts is what several endpoints of the authorization server share.
type oauthParts struct {
	*parts
	signIn   *signin.Handler
	areas    *audience.Areas
	rules    client.Rules
	registry *client.Registry
	clients  *client.Clients
	requests bus.Records
	reader   *platform.Client
}

// oauth puts the authorization server together, one endpoint after the other.
func (p *parts) oauth(signIn *signin.Handler) (*web.OAuth, error) {
	o, err := p.oauthParts(signIn)
	if err != nil {
		return nil, err
	}
	document, err := o.metadata()
	if err != nil {
		return nil, err
	}
	authorization, err := o.authorize()
	if err != nil {
		return nil, err
	}
	return &web.OAuth{
		Metadata:  document,
		Register:  o.register(),
		Authorize: authorization,
		Token:     &oauthtoken.Handler{Clients: o.clients, Grants: p.grants, Areas: o.areas, Now: p.deps.Now, Log: p.tel.Log},
		Revoke:    &revoke.Handler{Grants: p.grants, Log: p.tel.Log},
		Approve:   o.approve(),
	}, nil
}

func (p *parts) oauthParts(signIn *signin.Handler) (*oauthParts, error) {
	areas, err := audience.New(p.cfg.Areas, p.cfg.OAuth.Resources)
	if err != nil {
		return nil, err
	}
	registered, err := p.bus.Records(bus.Clients)
	if err != nil {
		return nil, err
	}
	requests, err := p.bus.Records(bus.Requests)
	if err != nil {
		return nil, err
	}
	o := &oauthParts{
		parts: p, signIn: signIn, areas: areas, rules: client.Rules{Schemes: p.cfg.OAuth.PrivateSchemes},
		registry: client.NewRegistry(registered, p.deps.Now), requests: requests, reader: p.reader(),
	}
	o.clients = &client.Clients{Registry: o.registry, Documents: client.NewDocuments(p.deps.ClientDocuments, o.rules, p.deps.Now)}
	return o, nil
}

func (o *oauthParts) metadata() (http.Handler, error) {
	return metadata.Handler(metadata.Server{
		Issuer: o.cfg.PublicURL, Scopes: o.areas.Supported(), Documentation: o.cfg.PublicURL + "/", Locales: []string{"en", "pt-BR", "es"},
	})
}

func (o *oauthParts) register() *register.Handler {
	return &register.Handler{
		Registry: o.registry, Rules: o.rules, Areas: o.areas, Limiter: o.signIn.Limiter, Address: o.signIn.Address, Log: o.tel.Log,
		PerAddr: quota.Limit{Name: "register", Count: o.cfg.OAuth.RegistrationsPerAddress, Window: 10 * time.Minute, Per: quota.PerLink},
		InAll:   quota.Limit{Name: "register_all", Count: o.cfg.OAuth.Registrations, Window: time.Hour, Per: quota.PerLink},
	}
}

func (o *oauthParts) authorize() (*authorize.Handler, error) {
	choices, err := roots.Load(o.deps.Documents, o.cfg.Areas, o.reader)
	if err != nil {
		return nil, err
	}
	return &authorize.Handler{
		Issuer: o.cfg.PublicURL, Base: o.signIn.Base, Areas: o.areas, Rules: o.rules,
		Clients: o.clients, Approver: o.registry, Links: o.links, Grants: o.grants,
		Requests: &authorize.Requests{Records: o.requests, Now: o.deps.Now},
		Consent:  &consent.Maker{Areas: o.areas, Roots: choices, Vault: vault.Vault{Keys: o.keys}, Log: o.tel.Log},
		Sessions: o.signIn.Sessions, SignIn: o.signIn, Cookies: o.signIn.Cookies, Pages: o.signIn.Pages,
		Limiter: o.signIn.Limiter, Address: o.signIn.Address, Longest: longestLife, Now: o.deps.Now, Log: o.tel.Log,
		PerAddr: quota.Limit{Name: "authorize", Count: 120, Window: time.Minute, Per: quota.PerLink},
	}, nil
}

func (o *oauthParts) approve() *approve.Handler {
	return &approve.Handler{
		Base: o.signIn.Base, Yes: o.yes, Links: o.links, Operations: operation.NewStore(o.bus, o.deps.Now), Platform: o.reader,
		Vault: vault.Vault{Keys: o.keys}, Sessions: o.signIn.Sessions, SignIn: o.signIn, Cookies: o.signIn.Cookies,
		Pages: o.signIn.Pages, Now: o.deps.Now, Log: o.tel.Log,
	}
}
