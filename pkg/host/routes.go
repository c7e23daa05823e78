package host

import (
	"net/http"
	"strings"
)

const (
	mcpPath       = "/mcp"
	docsPath      = "/mcp/docs"
	toolsPath     = "/tools.json"
	wellKnown     = "/.well-known/"
	resourceMeta  = wellKnown + "oauth-protected-resource"
	serverMeta    = wellKnown + "oauth-authorization-server"
	maxHeaderSize = 32 << 10
)

// trimSlash serves a path and the same path with a slash alike, since a redirect
// makes clients drop their token.
func trimSlash(path string) string {
	if len(path) > 1 {
		return strings.TrimSuffix(path, "/")
	}
	return path
}

// profileAt gives the profile of an MCP path; "" is the whole area.
func (g *Gate) profileAt(path string) (*profile, bool) {
	path = trimSlash(path)
	if path == mcpPath {
		return g.profiles[""], true
	}
	name, below := strings.CutPrefix(path, mcpPath+"/")
	if !below || name == "" {
		return nil, false
	}
	p, ok := g.profiles[name]
	return p, ok
}

// public gives the handler of a route that needs no authentication, or nil.
func (g *Gate) publicRoute(r *http.Request) http.HandlerFunc {
	path := trimSlash(r.URL.Path)
	if strings.HasPrefix(path+"/", wellKnown) {
		return g.wellKnown
	}
	switch path {
	case "/":
		return g.frontPage
	case toolsPath:
		return g.toolsJSON
	case docsPath:
		return g.docsPage
	}
	return nil
}
