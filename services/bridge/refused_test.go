package bridge

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestARefusalIsToldWithItsReason: what stands between the client and the server
// (the gate itself, a proxy, a load balancer) answers HTTP; the client gets
// JSON-RPC, and learns when to come back.
func TestARefusalIsToldWithItsReason(t *testing.T) {
	for name, c := range map[string]struct {
		status     int
		retryAfter string
		body       string
		want       string
	}{
		"a gate's own words":  {403, "", `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Authentication failed"},"id":null}`, `"id":1,"error":{"code":-32001,"message":"Authentication failed"}`},
		"a proxy's page":      {503, "", "<html>down</html>", "answered HTTP 503 Service Unavailable"},
		"too many, seconds":   {429, "7", "", "HTTP 429 Too Many Requests; try again after 7 s"},
		"down until a date":   {503, "Tue, 01 Dec 2026 03:00:00 GMT", "", "; try again after 2026-12-01T03:00:00Z"},
		"a wait that is none": {429, "soon", "", `HTTP 429 Too Many Requests"`},
		"nothing at all":      {403, "", "", "HTTP 403 Forbidden"},
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if c.retryAfter != "" {
					w.Header().Set("Retry-After", c.retryAfter)
				}
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			}))
			in, out := run(t, Config{URL: url})
			fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			line, err := out.ReadString('\n')
			if err != nil || !strings.Contains(line, c.want) || !strings.Contains(line, `"id":1`) {
				t.Errorf("%q, %v", line, err)
			}
		})
	}
}
