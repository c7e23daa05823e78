package host

import (
	"net/http"
	"time"

	"go.opentelemetry.io/otel/propagation"
)

// ServeHTTP is the order in which a request is judged (contract §2, §3): what is
// public, then who may talk to this host at all, then who calls, and only then
// what they ask for.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	// Against clients that send or read slowly, before they are known. readMessage
	// lifts the first one, event streams renew the second with each write. Only
	// writers of tests cannot set one.
	control, now := http.NewResponseController(w), time.Now()
	_ = control.SetReadDeadline(now.Add(bodyTime))
	_ = control.SetWriteDeadline(now.Add(g.cfg.CallTimeout + 2*writeTime))
	r = r.WithContext(propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header)))
	if r.Method == http.MethodOptions {
		g.neighbours.preflight(w, r)
		return
	}
	if handler := g.publicRoute(r); handler != nil {
		g.servePublic(w, r, handler)
		return
	}
	address := g.proxies.Address(r)
	if !g.admitNeighbour(w, r, address) {
		return
	}
	g.neighbours.allowOrigin(w.Header(), r)
	w.Header().Set("Cache-Control", "no-store")
	g.serveCaller(w, r, address)
}

// servePublic answers a GET of what anybody may read, from any page.
func (g *Gate) servePublic(w http.ResponseWriter, r *http.Request, handler http.HandlerFunc) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		writeError(w, http.StatusMethodNotAllowed, nil, codeInvalidRequest, "Method not allowed")
		return
	}
	handler(w, r)
}

// admitNeighbour refuses foreign hosts and origins before anything runs.
func (g *Gate) admitNeighbour(w http.ResponseWriter, r *http.Request, address string) bool {
	message := ""
	switch {
	case !g.neighbours.hostAllowed(r):
		message = "Host not allowed"
	case !g.neighbours.originAllowed(r):
		message = "Origin not allowed"
	default:
		return true
	}
	g.refuse(r, Refusal{Address: address, Status: http.StatusForbidden, Message: message})
	writeError(w, http.StatusForbidden, nil, codeInvalidRequest, message)
	return false
}

// serveCaller authenticates, finds the profile and hands over to MCP.
func (g *Gate) serveCaller(w http.ResponseWriter, r *http.Request, address string) {
	profile, found := g.profileAt(r.URL.Path)
	r, traced := g.traceRequest(r, profile)
	defer traced()
	caller, ok := g.authenticate(w, r, profile, address)
	if !ok {
		return
	}
	if !found {
		g.countOther(w, r, caller)
		return
	}
	g.serveMCP(w, r, profile, caller)
}

// countOther answers an authenticated request for a path that does not exist.
func (g *Gate) countOther(w http.ResponseWriter, r *http.Request, c *caller) {
	if g.spent(w, r, c) {
		return
	}
	writeError(w, http.StatusNotFound, nil, codeInvalidRequest, "There is nothing at this path. MCP is at "+mcpPath+"; a profile is at "+mcpPath+"/ and its name.")
}

// refuse records a refusal in the audit and the metrics.
func (g *Gate) refuse(r *http.Request, refusal Refusal) {
	g.metrics.refused(refusal)
	g.wiring.Refused(r.Context(), refusal)
}
