package auth

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/mount"
	"github.com/comporta-mcp/comporta/pkg/seal"
	"github.com/comporta-mcp/comporta/pkg/telemetry"
	"github.com/comporta-mcp/comporta/services/auth/internal/oidc"
	"github.com/comporta-mcp/comporta/services/auth/internal/person"
	"github.com/comporta-mcp/comporta/services/auth/internal/token"
)

// Config is auth's configuration. Start from Defaults; the URL of the platform,
// the certificates, NATS and the master key have no default.
type Config struct {
	GRPCListen string `key:"grpc-listen" help:"address of the gRPC service that hosts and workers ask"`
	HTTPListen string `key:"http-listen" help:"address of the public pages"`
	// TLS are the certificates of the gRPC service. Callers need one of the same authority.
	TLS identity.TLSFiles
	// HTTPTLS makes the public pages HTTPS. Without it a proxy in front does that.
	HTTPTLS WebTLS `key:"http-tls"`

	// PublicURL is the issuer: every published URL is made from it and never from a
	// request's headers. Empty: there is no OAuth.
	PublicURL      string   `help:"public base URL of the pages, which is OAuth's issuer, such as https://auth.example.com; empty: no OAuth"`
	OAuth          OAuth    `key:"oauth"`
	TrustedProxies []string `help:"networks whose X-Forwarded-For is believed, such as 10.0.0.0/8"`
	Locale         string   `help:"language of the pages where the browser names none: en, pt-BR or es"`

	PlatformURL string `key:"platform.url" help:"base URL of the platform's API, such as https://api.azion.com/v4"`
	// Identity says where the platform tells who a token belongs to.
	Identity person.Config
	// Tokens says what a personal token is and how long an answer is believed.
	Tokens token.Config

	// Areas are all areas of the deployment: a personal token is good for each.
	Areas []string `help:"names of all areas"`

	// APIs, Documents and PolicyFile are the hosts': auth judges by itself which
	// calls need a person's yes.
	APIs       []mount.API         `key:"apis" help:"the other APIs that hosts serve, as they are configured there (docs/foreign-api.md)"`
	Documents  map[string]string   `help:"by area, the folder of documents in place of its own, as configured there"`
	Policy     []catalog.PolicyRow `help:"rows of policy that come after the file's, as configured for the hosts"`
	PolicyFile string              `help:"YAML file with rows of policy, as configured for the hosts"`

	// MasterKey encrypts the keysets in the bucket "keys". Several, separated by
	// commas: the first one encrypts, the others still decrypt. All replicas need the same.
	MasterKey  identity.Secret `key:"master-key" secret:"true" help:"32 bytes in base64 that encrypt auth's keys at rest; several separated by commas, the present one first"`
	RotateKeys time.Duration   `help:"age at which auth makes new keys; what the old ones encrypted still opens"`

	// OIDC lets people sign in with the platform's account beside personal tokens.
	OIDC oidc.Config `key:"oidc"`

	DataDir string `help:"folder for the audit spool"`

	CachedLinks int `help:"how many links are held in memory"`

	NATS         bus.Config
	Telemetry    telemetry.Config
	DrainTimeout time.Duration `help:"how long running requests may take after the signal to stop"`
}

// WebTLS names the PEM files of the public pages' certificate: both or none.
type WebTLS struct {
	Cert string `help:"PEM file with the certificate of the public pages"`
	Key  string `help:"PEM file with its private key"`
}

// Defaults are the values for production, as far as there are any.
func Defaults() Config {
	return Config{
		GRPCListen:   ":8443",
		HTTPListen:   ":8080",
		OAuth:        oauthDefaults(),
		OIDC:         oidc.Defaults(),
		Locale:       "en",
		Identity:     person.Defaults(),
		Tokens:       token.Defaults(),
		Areas:        []string{"docs", "build", "secure", "observe", "storage"},
		DataDir:      "./data",
		RotateKeys:   90 * 24 * time.Hour,
		CachedLinks:  50_000, // some 30 MB
		Telemetry:    telemetry.Defaults(),
		DrainTimeout: 10 * time.Second,
	}
}

var areaForm = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// Validate lists all faults of auth's own settings.
func (c Config) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	for _, listen := range []struct{ key, address string }{{"grpc-listen", c.GRPCListen}, {"http-listen", c.HTTPListen}} {
		if _, _, err := net.SplitHostPort(listen.address); err != nil {
			fault("%s: must be host:port, not %q", listen.key, listen.address)
		}
	}
	if u, err := url.Parse(c.PlatformURL); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		fault("platform.url: must be the http or https URL of the platform's API, without user name")
	}
	if u, err := url.Parse(c.PublicURL); c.PublicURL != "" && (err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "") {
		fault("public-url: must be the http or https URL of auth's pages")
	}
	if c.DataDir == "" {
		fault("data-dir: must name a folder")
	}
	if (c.HTTPTLS.Cert == "") != (c.HTTPTLS.Key == "") {
		fault("http-tls: cert and key go together")
	}
	if len(c.Areas) == 0 || slices.ContainsFunc(c.Areas, func(a string) bool { return !areaForm.MatchString(a) }) {
		fault("areas: must be names of lower-case letters, digits and dashes, at least one")
	}
	if _, err := seal.ParseMaster(string(c.MasterKey)); err != nil {
		fault("master-key: %w", err)
	}
	if c.RotateKeys < 24*time.Hour {
		fault("rotate-keys: must be at least 24h")
	}
	if c.CachedLinks < 1 {
		fault("cached-links: must be at least 1")
	}
	if c.DrainTimeout <= 0 {
		fault("drain-timeout: must be more than 0")
	}
	return errors.Join(append(faults, c.validatePublic())...)
}

// validateAll is Validate with every part, for who did not fill the
// configuration with pkg/config, which asks each part itself.
func (c Config) validateAll() error {
	return errors.Join(
		c.Validate(),
		within("tls", c.TLS.Validate()),
		within("identity", c.Identity.Validate()),
		within("tokens", c.Tokens.Validate()),
		within("oauth", c.OAuth.Validate()),
		within("oidc", c.OIDC.Validate()),
		within("nats", c.NATS.Validate()),
		within("telemetry", c.Telemetry.Validate()),
	)
}

func within(part string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", part, err)
}
