package oidc

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

// Config says who the issuer is and how its people are the platform's.
type Config struct {
	Issuer       string          `help:"the platform's OpenID Connect issuer; empty: people sign in with personal tokens only"`
	ClientID     string          `help:"auth's client id there"`
	ClientSecret identity.Secret `key:"client-secret" secret:"true" help:"auth's client secret there"`
	Scopes       []string        `help:"scopes to ask for; openid must be among them"`
	// PersonClaim must hold the platform's own id. An e-mail address will not do: a
	// person can change theirs.
	PersonClaim string        `help:"claim that holds the platform's id of the person, a whole number"`
	NameClaim   string        `help:"claim that holds the person's name"`
	EmailClaim  string        `help:"claim that holds the person's e-mail address"`
	Timeout     time.Duration `help:"how long one question to the issuer may take"`
}

// Defaults are OpenID Connect's own claims.
func Defaults() Config {
	return Config{
		Scopes: []string{openID, "profile", "email"}, PersonClaim: "sub", NameClaim: "name", EmailClaim: "email", Timeout: 5 * time.Second,
	}
}

const openID = "openid"

// On reports whether there is an issuer.
func (c Config) On() bool { return c.Issuer != "" }

// Validate lists all faults.
func (c Config) Validate() error {
	if !c.On() {
		return nil
	}
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	u, err := url.Parse(c.Issuer)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		fault("issuer: must be a URL without user name, query and fragment")
	case u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())):
		fault("issuer: must be https; http is for loopback addresses only")
	}
	if c.ClientID == "" || c.ClientSecret == "" {
		fault("client-id and client-secret are needed with an issuer")
	}
	if !slices.Contains(c.Scopes, openID) {
		fault("scopes: %s must be among them", openID)
	}
	if c.PersonClaim == "" {
		fault("person-claim: name the claim that holds the platform's id")
	}
	if c.Timeout <= 0 {
		fault("timeout: must be more than 0")
	}
	return errors.Join(faults...)
}

func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}
