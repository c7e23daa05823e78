package host

import (
	"encoding/json"
	"net/http"
	"strings"
)

// wellKnown serves the OAuth documents of exactly the paths that exist. All URLs
// in them come from the configuration: what a request says of its own host or
// scheme is not believed.
func (g *Gate) wellKnown(w http.ResponseWriter, r *http.Request) {
	path := trimSlash(r.URL.Path)
	if endpoint, ok := g.endpointAfter(path, resourceMeta); ok {
		g.protectedResource(w, endpoint)
		return
	}
	if _, ok := g.endpointAfter(path, serverMeta); ok {
		g.relay.serve(w, r)
		return
	}
	notFound(w, "There is no such document.")
}

// endpointAfter gives the MCP path that follows a document's path; the document
// of the bare origin is that of the whole area.
func (g *Gate) endpointAfter(path, document string) (string, bool) {
	rest, ok := strings.CutPrefix(path, document)
	if !ok {
		return "", false
	}
	if rest == "" {
		return mcpPath, true
	}
	p, ok := g.profileAt(rest)
	if !ok {
		return "", false
	}
	return p.path, true
}

// protectedResource is RFC 9728's document for one endpoint.
func (g *Gate) protectedResource(w http.ResponseWriter, endpoint string) {
	w.Header().Set("Cache-Control", "public, max-age=300")
	writeJSON(w, http.StatusOK, map[string]any{
		"resource":                 g.at(endpoint),
		"resource_name":            g.area.Title,
		"authorization_servers":    []string{g.cfg.AuthURL},
		"scopes_supported":         g.scopes(),
		"bearer_methods_supported": []string{"header"},
		"resource_documentation":   g.at(docsPath),
	})
}

func notFound(w http.ResponseWriter, text string) {
	writeJSON(w, http.StatusNotFound, map[string]any{"error": "not_found", "error_description": text})
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, `{"error":"server_error"}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client going away is no fault of ours
}
