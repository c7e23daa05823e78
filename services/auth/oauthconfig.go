package auth

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/audience"
	"github.com/comporta-mcp/comporta/services/auth/internal/oauth/client"
)

// OAuth is the authorization server's part of the configuration. It works where
// public-url is set.
type OAuth struct {
	// Resources are the areas' public base URLs, as hosts call them public-url.
	Resources map[string]string `help:"public base URL of each area's host, by area"`
	// PrivateSchemes: any program of a person's computer can claim a scheme, so
	// only those of clients that people really use are taken.
	PrivateSchemes []string      `help:"private-use schemes that redirect URIs may have, such as cursor"`
	RefreshGrace   time.Duration `help:"how long a used refresh token gives the same successor again; 0: never"`
	SignInLife     time.Duration `help:"how long a person stays signed in on the pages"`

	RegistrationsPerAddress int `help:"clients that one network address may register in 10 minutes"`
	Registrations           int `help:"clients that all may register in an hour"`

	AccessLife time.Duration `help:"life of an access token; shorter makes clients refresh more often"`
}

// Lives that contract §4 fixes.
const (
	codeLife    = time.Minute
	accessLife  = 8 * time.Hour
	refreshLife = 30 * 24 * time.Hour
	longestLife = 180 * 24 * time.Hour
)

func oauthDefaults() OAuth {
	return OAuth{
		PrivateSchemes: []string{"claude", "cursor", "vscode", "vscode-insiders", "windsurf", "zed"},
		RefreshGrace:   30 * time.Second, // contract §4
		SignInLife:     7 * 24 * time.Hour,
		// Hosted clients share a few addresses; what nobody approves goes after a
		// day, so that these bound the records too.
		RegistrationsPerAddress: 60,
		Registrations:           1000,
		AccessLife:              accessLife,
	}
}

var schemeForm = regexp.MustCompile(`^[a-z][a-z0-9+.-]*$`)

// Validate lists all faults.
func (c OAuth) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	for _, scheme := range c.PrivateSchemes {
		switch scheme {
		case "http", "https", "javascript", "data", "file", "blob", "about", "ftp", "ws", "wss", "vbscript", "mailto":
			fault("private-schemes: %q is not a private scheme", scheme)
		default:
			if !schemeForm.MatchString(scheme) {
				fault("private-schemes: %q must be of lower-case letters, digits, plus, dot and dash", scheme)
			}
		}
	}
	if c.RefreshGrace < 0 || c.RefreshGrace > 5*time.Minute {
		fault("refresh-grace: must be between 0 and 5m")
	}
	if c.SignInLife < time.Minute || c.SignInLife > longestLife {
		fault("sign-in-life: must be between 1m and %s", longestLife)
	}
	if c.AccessLife < time.Second || c.AccessLife > accessLife {
		fault("access-life: must be between 1s and %s", accessLife)
	}
	for _, n := range []int{c.RegistrationsPerAddress, c.Registrations} {
		if n < 1 || n > 1000 {
			fault("registrations, registrations-per-address: must be between 1 and 1000")
			break
		}
	}
	return errors.Join(faults...)
}

// validatePublic lists the faults of what OAuth needs of the whole configuration.
func (c Config) validatePublic() error {
	var faults []error
	for _, text := range c.TrustedProxies {
		if _, err := netip.ParsePrefix(text); err != nil {
			faults = append(faults, fmt.Errorf("trusted-proxies: %q is no network such as 10.0.0.0/8", text))
		}
	}
	if c.PublicURL == "" {
		if c.OIDC.On() {
			faults = append(faults, errors.New("oidc: needs public-url, where people come back to"))
		}
		return errors.Join(faults...)
	}
	u, err := url.Parse(c.PublicURL)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || strings.Contains(c.PublicURL, "#") || strings.HasSuffix(c.PublicURL, "/"):
		faults = append(faults, errors.New("public-url: must be a URL without a slash at its end, query, fragment and user name"))
	case u.Scheme != "https" && (u.Scheme != "http" || !client.IsLoopback(u)):
		faults = append(faults, errors.New("public-url: must be https; http is for loopback addresses only"))
	}
	if _, err := audience.New(c.Areas, c.OAuth.Resources); err != nil {
		faults = append(faults, fmt.Errorf("oauth.resources: %w", err))
	}
	for _, area := range c.Areas {
		if c.OAuth.Resources[area] == "" {
			faults = append(faults, fmt.Errorf("oauth.resources: the URL of %s is missing", area))
		}
	}
	return errors.Join(faults...)
}
