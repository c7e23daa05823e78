// Package audience knows what a token can be asked for: the areas, the URLs
// that clients name them by (RFC 8707) and the scopes of each (contract §4).
package audience

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Areas are the areas of a deployment. It is read-only once made.
type Areas struct {
	names  []string
	byBase map[string]string // base URL in its one form → area
}

// New makes Areas: names in the order in which people see them, and each one's
// public base URL without its MCP path.
func New(names []string, bases map[string]string) (*Areas, error) {
	a := &Areas{names: slices.Clone(names), byBase: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(bases)) {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("there is no area %q", name)
		}
		base, path, ok := canonical(bases[name])
		if !ok {
			return nil, fmt.Errorf("the URL of %s must be an http or https URL without query and fragment", name)
		}
		base += strings.TrimSuffix(path, "/")
		if other, twice := a.byBase[base]; twice {
			return nil, fmt.Errorf("%s and %s have the same URL", other, name)
		}
		a.byBase[base] = name
	}
	return a, nil
}

// Names are all areas.
func (a *Areas) Names() []string { return a.names }

// Has reports whether there is such an area.
func (a *Areas) Has(name string) bool { return slices.Contains(a.names, name) }

// mcpPath is what may follow an area's base URL: nothing, /mcp, a profile's path;
// each with or without a slash at its end.
var mcpPath = regexp.MustCompile(`^(/mcp(/[a-z][a-z0-9_-]{0,62})?)?/?$`)

// Resource gives the area that a resource indicator names: its /mcp URL, that of
// a profile, or the bare origin. The case of scheme and host, a default port and
// one slash at the end make no difference.
func (a *Areas) Resource(text string) (area string, ok bool) {
	origin, path, ok := canonical(text)
	if !ok {
		return "", false
	}
	for base, name := range a.byBase {
		if rest, below := strings.CutPrefix(origin+path, base); below && mcpPath.MatchString(rest) {
			return name, true
		}
	}
	return "", false
}

// canonical splits a URL into its origin in one form and its path as it stands.
func canonical(text string) (origin, path string, ok bool) {
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Opaque != "" || strings.Contains(text, "#") {
		return "", "", false
	}
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if scheme != "https" && scheme != "http" || host == "" {
		return "", "", false
	}
	if port == "" || scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return scheme + "://" + host, u.EscapedPath(), true
	}
	return scheme + "://" + net.JoinHostPort(host, port), u.EscapedPath(), true
}
