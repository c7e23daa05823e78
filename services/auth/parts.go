package auth

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/mount"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/quota"
	"github.com/comporta-mcp/comporta/pkg/seal"
	"github.com/comporta-mcp/comporta/pkg/secret"
	"github.com/comporta-mcp/comporta/pkg/telemetry"
	"github.com/comporta-mcp/comporta/services/auth/internal/activity"
	"github.com/comporta-mcp/comporta/services/auth/internal/approve"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/me"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/grant"
	"github.com/comporta-mcp/comporta/services/auth/internal/oidc"
	"github.com/comporta-mcp/comporta/services/auth/internal/page"
	"github.com/comporta-mcp/comporta/services/auth/internal/rpc"
	"github.com/comporta-mcp/comporta/services/auth/internal/secrets"
	"github.com/comporta-mcp/comporta/services/auth/internal/signin"
	"github.com/comporta-mcp/comporta/services/auth/internal/token"
	"github.com/comporta-mcp/comporta/services/auth/internal/vault"
	"github.com/comporta-mcp/comporta/services/auth/internal/web"
)

// parts is what the gRPC service and the pages are put together from.
type parts struct {
	cfg    Config
	deps   Deps
	tel    *telemetry.Telemetry
	bus    *bus.Bus
	keys   *seal.Opener
	links  *link.Links
	tokens *token.Checker
	grants *grant.Grants
	ledger *audit.Log
	pages  string // URL of the open HTTP port
	yes    approve.Yes
	// credentials are the deployment's own for mounted APIs.
	credentials mount.Credentials
}

// openApprovals reads what the areas' documents say of tools.
func (p *parts) openApprovals() error {
	served, err := p.cfg.served(p.deps.Documents)
	if err != nil {
		return err
	}
	tools, err := approve.Load(served.documents, served.policy)
	if err != nil {
		return err
	}
	records, err := p.bus.Records(bus.Approvals)
	p.yes = approve.Yes{Keys: p.keys, Tools: tools, Awaited: approve.Awaited{Records: records, Now: p.deps.Now}}
	p.credentials = served.credentials
	return err
}

func (p *parts) openGrants() error {
	records, err := p.bus.Records(bus.Grants)
	if err != nil {
		return err
	}
	p.grants = grant.New(records, p.keys, p.links, grant.Lives{
		Code: codeLife, Access: p.cfg.OAuth.AccessLife, Refresh: refreshLife, Grace: p.cfg.OAuth.RefreshGrace,
	}, p.deps.Now)
	return nil
}

func (p *parts) service() *rpc.Service {
	return &rpc.Service{
		Approvals: p.yes,
		Tokens:    p.tokens, Links: p.links, Admin: p.links, Keys: p.keys, Grants: p.grants,
		Vault:   vault.Vault{Keys: p.keys},
		Now:     p.deps.Now,
		Areas:   p.cfg.Areas,
		Pages:   strings.TrimSuffix(cmp.Or(p.cfg.PublicURL, p.pages), "/"),
		Metrics: rpc.NewMetrics(p.tel.Registry),
	}
}

// site is the public side as it is served.
type site struct {
	handler http.Handler
	stop    func() // ends what would not end by itself: the pages that listen
}

// site is the public side: the front page, the persons' own pages, and OAuth where
// it has an issuer.
func (p *parts) site(ctx context.Context) (*site, error) {
	base := ""
	if u, err := url.Parse(p.cfg.PublicURL); err == nil {
		base = u.Path
	}
	pages, err := page.New(p.cfg.Locale, p.deps.Version, base, p.tel.Log)
	if err != nil {
		return nil, err
	}
	limiter, address, err := p.bounds(ctx)
	if err != nil {
		return nil, err
	}
	signIn, err := p.signIn(base, pages, limiter, address)
	if err != nil {
		return nil, err
	}
	kept := &secrets.Secrets{Store: secret.NewStore(p.bus, p.deps.Now), Keys: p.keys, Audit: p.ledger, Now: p.deps.Now}
	served := web.Site{
		Base: base, Pages: pages, Tokens: p.cfg.Tokens.Accept,
		SignIn: signIn, Secret: &web.SecretPage{SignIn: signIn, Secrets: kept},
	}
	if served.Me, err = p.me(signIn, kept); err != nil {
		return nil, err
	}
	if p.cfg.PublicURL != "" {
		for _, area := range p.cfg.Areas {
			served.Areas = append(served.Areas, p.cfg.OAuth.Resources[area]+"/mcp")
		}
		if served.OAuth, err = p.oauth(signIn); err != nil {
			return nil, err
		}
		served.Me.Consent = served.OAuth.Authorize.Consent
	}
	return &site{handler: web.Handler(served), stop: served.Me.Signals.Close}, nil
}

// me puts the pages of a person's agents together.
func (p *parts) me(signIn *signin.Handler, kept *secrets.Secrets) (*me.Handler, error) {
	changes, err := p.bus.Records(bus.Requests)
	if err != nil {
		return nil, err
	}
	records := audit.Reader{Bus: p.bus}
	h := &me.Handler{
		Base: signIn.Base, Areas: p.cfg.Areas, Links: p.links, Running: me.NewRunning(operation.NewStore(p.bus, p.deps.Now)),
		Tools: p.yes.Tools.Find, Secrets: kept, Activity: activity.New(records, p.deps.Now), Records: records, Ledger: p.ledger,
		Changes: changes, Signals: me.NewSignals(p.bus.Conn), Tokens: p.tokens, Vault: vault.Vault{Keys: p.keys},
		SignIn: signIn, Limiter: signIn.Limiter, Now: p.deps.Now, Log: p.tel.Log,
	}
	for _, area := range p.cfg.Areas {
		if url := p.cfg.OAuth.Resources[area]; url != "" {
			h.Connect = append(h.Connect, me.Area{Name: area, URL: url + "/mcp"})
		}
	}
	return h, nil
}

// bounds are the limits of what anybody may ask, and whom they count.
func (p *parts) bounds(ctx context.Context) (*quota.Limiter, func(*http.Request) string, error) {
	kv, err := p.bus.KV(ctx, bus.Quota)
	if err != nil {
		return nil, nil, err
	}
	proxies, err := identity.ParseProxies(p.cfg.TrustedProxies)
	if err != nil {
		return nil, nil, fmt.Errorf("trusted-proxies: %w", err)
	}
	limiter := quota.New(kv, quota.Options{Now: p.deps.Now, Log: p.tel.Log, Metrics: p.tel.Registry})
	return limiter, proxies.Address, nil
}

func (p *parts) signIn(base string, pages *page.Pages, limiter *quota.Limiter, address func(*http.Request) string) (*signin.Handler, error) {
	records, err := p.bus.Records(bus.Signins)
	if err != nil {
		return nil, err
	}
	handler := &signin.Handler{
		Base: base,
		Sessions: &signin.Sessions{
			Records: records, Vault: vault.Vault{Keys: p.keys}, Life: p.cfg.OAuth.SignInLife, Now: p.deps.Now,
		},
		Tokens: p.tokens, Cookies: signin.Cookies{Secure: strings.HasPrefix(p.cfg.PublicURL, "https:")}, Pages: pages,
		Limiter: limiter, Address: address, Log: p.tel.Log,
		PerAddr: quota.Limit{Name: "sign_in", Count: 20, Window: time.Minute, Per: quota.PerLink},
	}
	if p.cfg.OIDC.On() {
		trips, err := p.bus.Records(bus.Requests)
		if err != nil {
			return nil, err
		}
		handler.Links = p.links
		handler.Accounts = oidc.New(p.cfg.OIDC, p.cfg.PublicURL+signin.CallbackPath, trips, traced(p.deps.Transport, p.tel), p.deps.Now)
	}
	return handler, nil
}

// reader looks at resources with the credentials of persons.
func (p *parts) reader() *platform.Client {
	return platform.New(platform.Config{URL: p.cfg.PlatformURL, Timeout: 10 * time.Second}, platform.Options{
		HTTP: &http.Client{Transport: traced(p.deps.Transport, p.tel)}, Metrics: p.tel.Registry, Log: p.tel.Log, Now: p.deps.Now,
		Credentials: p.credentials,
	})
}
