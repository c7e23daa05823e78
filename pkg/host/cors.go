package host

import "net/http"

// What a browser client may send to and read from the MCP paths. Mcp-Session-Id
// and Last-Event-ID mean nothing here, but a preflight that leaves them out
// stops clients that send them.
const (
	corsHeaders = "Authorization, Content-Type, Accept, Accept-Language, MCP-Protocol-Version, Mcp-Session-Id, Last-Event-ID, Mcp-Method, Mcp-Name, Traceparent"
	corsMethods = "GET, POST, DELETE, OPTIONS"
	corsExpose  = "Mcp-Session-Id, WWW-Authenticate, Retry-After"
	corsMaxAge  = "7200" // seconds; the longest that Chromium honours
)

// preflight answers OPTIONS on any path, without credentials.
func (n *neighbours) preflight(w http.ResponseWriter, r *http.Request) {
	if !n.originAllowed(r) {
		writeError(w, http.StatusForbidden, nil, codeInvalidRequest, "Origin not allowed")
		return
	}
	h := w.Header()
	n.allowOrigin(h, r)
	h.Set("Access-Control-Allow-Methods", corsMethods)
	h.Set("Access-Control-Allow-Headers", corsHeaders)
	h.Set("Access-Control-Max-Age", corsMaxAge)
	w.WriteHeader(http.StatusNoContent)
}

// allowOrigin lets the page at an allowed origin read the answer.
func (n *neighbours) allowOrigin(h http.Header, r *http.Request) {
	h.Add("Vary", "Origin")
	if o := r.Header.Get("Origin"); o != "" {
		h.Set("Access-Control-Allow-Origin", o)
		h.Set("Access-Control-Expose-Headers", corsExpose)
	}
}
