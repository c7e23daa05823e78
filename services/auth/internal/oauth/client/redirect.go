package client

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

const (
	maxURI  = 512 // bytes
	maxURIs = 10
)

// Rules say which redirect URIs a client may have.
type Rules struct {
	// Schemes are the private-use schemes that are taken, such as "cursor": any
	// program of the person's computer can claim one, so an operator names them.
	Schemes []string
}

// Check judges one redirect URI: https, http on loopback, or an allowed private
// scheme; no fragment, no user name, no wildcard.
func (r Rules) Check(uri string) error {
	u, err := url.Parse(uri)
	switch {
	case err != nil || uri == "" || len(uri) > maxURI || strings.ContainsFunc(uri, strange):
		return errors.New("it is no URL of at most 512 characters")
	case strings.Contains(uri, "#"):
		return errors.New("it has a fragment")
	case u.User != nil:
		return errors.New("it has a user name")
	case strings.Contains(u.Host, "*"):
		return errors.New("it has a wildcard")
	}
	switch scheme := strings.ToLower(u.Scheme); {
	case scheme == "https" && u.Hostname() != "":
		return nil
	case scheme == "http" && IsLoopback(u):
		return nil
	case scheme == "http":
		return errors.New("http is for loopback addresses only; use https")
	case slices.Contains(r.Schemes, scheme) && uri == scheme+uri[len(scheme):]:
		return nil
	default:
		return fmt.Errorf("its scheme is not allowed here; use https, http on a loopback address, or one of: %s", strings.Join(r.Schemes, ", "))
	}
}

// strange are characters that readers of URLs disagree about.
func strange(r rune) bool {
	return r == '\\' || unicode.IsSpace(r) || unicode.IsControl(r) || r > unicode.MaxASCII
}

// Redirect gives the URI that an authorization answer goes to. requested is the
// request's, and must be one of the client's; it may be "" where there is one only.
func (c *Client) Redirect(requested string, rules Rules) (uri string, ok bool) {
	if requested == "" {
		if len(c.RedirectURIs) == 1 && rules.Check(c.RedirectURIs[0]) == nil {
			return c.RedirectURIs[0], true
		}
		return "", false
	}
	if rules.Check(requested) != nil {
		return "", false
	}
	known := slices.ContainsFunc(c.RedirectURIs, func(own string) bool { return own == requested || sameLoopback(own, requested) })
	return requested, known
}

// sameLoopback is the one exception from exact comparison: the port of an http
// loopback address, which the system gives at each run (RFC 8252 §7.3).
func sameLoopback(own, requested string) bool {
	a, errA := url.Parse(own)
	b, errB := url.Parse(requested)
	if errA != nil || errB != nil || a.Scheme != "http" || !IsLoopback(a) || !IsLoopback(b) {
		return false
	}
	a.Host, b.Host = a.Hostname(), b.Hostname()
	return a.String() == b.String()
}

// IsLoopback reports whether a URL is http on the computer it is opened on.
func IsLoopback(u *url.URL) bool {
	if u.Scheme != "http" {
		return false
	}
	host := u.Hostname()
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
