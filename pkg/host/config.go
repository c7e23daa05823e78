package host

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/mount"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/quota"
	"github.com/comporta-mcp/comporta/pkg/telemetry"
)

// Config is a host's configuration. Its zero values are not useful; start from Defaults.
type Config struct {
	Listen string `help:"address of the MCP port"`
	// PublicURL is how clients reach this host. Every published URL is made from
	// it and never from a request's headers. Empty: the address it listens on,
	// which is right only where client and host share a machine.
	PublicURL string `help:"public base URL, such as https://build-mcp.example.com; empty: the listening address"`
	// AuthURL is the issuer that clients are sent to.
	AuthURL string `help:"public base URL of the authorization server (its issuer)"`
	// AuthHTTP is where this host fetches the issuer's metadata.
	AuthHTTP string `help:"address of the authorization server inside the cluster; empty: auth-url"`

	Auth      identity.ClientConfig
	NATS      bus.Config
	Platform  platform.Config
	Telemetry telemetry.Config

	DataDir        string   `help:"folder for the audit spool and the area's own data"`
	AllowedOrigins []string `help:"browser origins that may call, beside public-url's; a port may be *"`
	AllowedHosts   []string `help:"names in Host that are served, beside public-url's"`
	TrustedProxies []string `help:"networks whose X-Forwarded-For is believed, such as 10.0.0.0/8"`
	TLS            TLSFiles
	Locale         string `help:"language of sentences where the caller names none: en, pt-BR or es"`
	ResourceScheme string `help:"scheme of resources: azion in azion://contexto-inicial"`
	// Limits change those of contract §8, by name: calls, requests, ping, and the
	// ones that tools name.
	Limits map[string]quota.Limit `help:"changes of the limits, by name"`
	// Policy moves tools between the rows of sensitive calls (contract §5).
	Policy []catalog.PolicyRow `help:"changes of how sensitive tools are confirmed, approved or forbidden"`
	// PolicyFile holds further rows, which come before those of Policy; one file may
	// be good for all hosts (see docs/policies).
	PolicyFile string `help:"YAML file with rows of policy, such as docs/policies/strict.yaml; policy's own rows come after them"`
	Strict     bool   `help:"forbid to agents what else needs a person's approval"`

	// Documents replaces the area's own documents; they need x-mcp in full.
	Documents string `help:"folder of OpenAPI documents with x-mcp in place of the area's own; empty: the area's own"`
	// APIs are other APIs, beside the area's own documents; see package mount.
	APIs []mount.API `key:"apis" help:"other APIs to serve in this area, each with name, file and what else it needs (docs/foreign-api.md)"`

	Check bool `help:"load the documents, print every list of tools with what clients dislike about it, and end"`

	// Settle is how long after a write of unknown effect the platform may still
	// carry it out; a repeat looks only then.
	Settle time.Duration `help:"how long a write of unknown effect may still take effect on the platform"`
	// CallTimeout ends a call whatever it waits for.
	CallTimeout  time.Duration `help:"longest time for one call"`
	DrainTimeout time.Duration `help:"longest time for running requests to end when the host stops"`
	KeepAlive    time.Duration `help:"pause after which a silent event stream gets a comment"`
	// GCPercent trades memory for processor time: MCP decoding leaves much garbage.
	GCPercent int `key:"gc-percent" help:"garbage collector's target in percent, where GOGC is not set; 0: leave it"`
}

// TLSFiles are the host's own certificate. Both or none; with them only TLS 1.3 is served.
type TLSFiles struct {
	Cert string `help:"certificate file (PEM)"`
	Key  string `help:"key file (PEM)"`
}

// Defaults are the values for production, except for the URLs.
func Defaults() Config {
	return Config{
		Listen:         ":8080",
		Telemetry:      telemetry.Defaults(),
		DataDir:        "./data",
		AllowedOrigins: []string{"http://localhost:*", "http://127.0.0.1:*"},
		Locale:         "en",
		ResourceScheme: "azion",
		Settle:         30 * time.Second,
		CallTimeout:    90 * time.Second,
		DrainTimeout:   30 * time.Second,
		KeepAlive:      20 * time.Second, // proxies commonly cut silence after 60 s
		GCPercent:      400,
	}
}

var schemeForm = regexp.MustCompile(`^[a-z][a-z0-9+.-]*$`)

// Validate lists all faults of the host's own settings.
func (c Config) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		fault("listen must be host:port, not %q", c.Listen)
	}
	for name, text := range map[string]string{"public-url": c.PublicURL, "auth-http": c.AuthHTTP} {
		if text != "" && !isBaseURL(text) {
			fault("%s must be an http or https URL without query and fragment, not %q", name, text)
		}
	}
	if !isBaseURL(c.AuthURL) {
		fault("auth-url must be the http or https URL of the authorization server, not %q", c.AuthURL)
	}
	for _, text := range c.TrustedProxies {
		if _, err := netip.ParsePrefix(text); err != nil {
			fault("trusted-proxies: %q is no network such as 10.0.0.0/8", text)
		}
	}
	for _, text := range c.AllowedOrigins {
		if _, err := parseOrigin(text); err != nil {
			fault("allowed-origins: %v", err)
		}
	}
	if (c.TLS.Cert == "") != (c.TLS.Key == "") {
		fault("tls.cert and tls.key go together")
	}
	if !schemeForm.MatchString(c.ResourceScheme) {
		fault("resource-scheme must be a URI scheme such as azion, not %q", c.ResourceScheme)
	}
	for _, api := range c.APIs {
		if err := api.Validate(); err != nil {
			faults = append(faults, err)
		}
	}
	if _, err := quota.Changed(quota.Defaults(), c.Limits); err != nil {
		faults = append(faults, err)
	}
	if c.CallTimeout <= 0 || c.DrainTimeout <= 0 || c.KeepAlive <= 0 || c.Settle < 0 {
		fault("call-timeout, drain-timeout and keep-alive must be longer than 0, settle not negative")
	}
	if c.GCPercent < 0 {
		fault("gc-percent must be 0 or more")
	}
	return errors.Join(faults...)
}

func isBaseURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" &&
		u.RawQuery == "" && u.Fragment == "" && u.User == nil
}
