package host_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func TestEveryRefusalOfAuthenticationIsTheContracts(t *testing.T) {
	d := open(t)
	const meta = `resource_metadata="https://harbour-mcp.example.com/.well-known/oauth-protected-resource/mcp", scope="harbour:read harbour:write"`
	for name, c := range map[string]struct {
		headers []string
		status  int
		body    string
		header  string
	}{
		"no header": {nil, 401,
			`{"jsonrpc":"2.0","error":{"code":-32001,"message":"No authentication provided"},"id":null}`, "Bearer " + meta},
		"an unknown personal token": {[]string{"Authorization: Token nobody"}, 403,
			`{"jsonrpc":"2.0","error":{"code":-32001,"message":"Authentication failed"},"id":null}`, ""},
		"a personal token as Bearer": {[]string{"Authorization: Bearer member"}, 401,
			`{"jsonrpc":"2.0","error":{"code":-32001,"message":"OAuth validation failed"},"id":null}`, `Bearer error="invalid_token", ` + meta},
		"an unknown access token": {[]string{"Authorization: Bearer nobody"}, 401,
			`{"jsonrpc":"2.0","error":{"code":-32001,"message":"OAuth validation failed"},"id":null}`, `Bearer error="invalid_token", ` + meta},
		"another scheme": {[]string{"Authorization: Basic bWVtYmVy"}, 401,
			`{"jsonrpc":"2.0","error":{"code":-32001,"message":"Invalid authentication header format"},"id":null}`, `Bearer error="invalid_token", ` + meta},
		"two headers": {[]string{asMember, asMember}, 401,
			`{"jsonrpc":"2.0","error":{"code":-32001,"message":"Invalid authentication header format"},"id":null}`, `Bearer error="invalid_token", ` + meta},
		"a token without this area": {[]string{"Authorization: Bearer elsewhere"}, 403,
			`{"jsonrpc":"2.0","error":{"code":-32001,"message":"Insufficient scope"},"id":null}`, `Bearer error="insufficient_scope", ` + strings.Replace(meta, `harbour:write"`, `harbour:write docs:read docs:write"`, 1)},
	} {
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
			t.Run(name+" by "+method, func(t *testing.T) {
				got := d.send(method, "/mcp", listTools, c.headers...)
				if got.status != c.status || got.body != c.body {
					t.Errorf("%d %s, want %d %s", got.status, got.body, c.status, c.body)
				}
				if diff := cmp.Diff(c.header, got.header.Get("WWW-Authenticate")); diff != "" {
					t.Error(diff)
				}
				if media := got.header.Get("Content-Type"); media != "application/json" {
					t.Errorf("Content-Type %q", media)
				}
			})
		}
	}
}

func TestAuthThatCannotBeAskedIs503(t *testing.T) {
	d := open(t)
	d.auth.err = errAway
	got := d.send(http.MethodPost, "/mcp", listTools, asMember)
	if got.status != 503 || got.body != `{"jsonrpc":"2.0","error":{"code":-32603,"message":"Authentication service unavailable"},"id":null}` {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

func TestPathsAreLookedAtAfterAuthentication(t *testing.T) {
	d := open(t)
	for _, path := range []string{"/nothing", "/mcp/nothing", "/mcp/ships/deeper", "/healthz", "/metrics"} {
		if got := d.send(http.MethodPost, path, listTools); got.status != 401 {
			t.Errorf("%s without a header: %d", path, got.status)
		}
		if got := d.send(http.MethodPost, path, listTools, asMember); got.status != 404 {
			t.Errorf("%s with a good token: %d", path, got.status)
		}
	}
}

func TestASlashAtTheEndChangesNothing(t *testing.T) { // B27
	d := open(t)
	for _, path := range []string{"/mcp", "/mcp/ships", "/mcp/docs", "/tools.json", "/.well-known/oauth-protected-resource",
		"/.well-known/oauth-protected-resource/mcp/ships"} {
		method := http.MethodGet
		if strings.HasPrefix(path, "/mcp") && path != "/mcp/docs" {
			method = http.MethodPost
		}
		plain, slashed := d.send(method, path, listTools, asMember), d.send(method, path+"/", listTools, asMember)
		if plain.status != 200 || slashed.status != 200 || plain.body != slashed.body {
			t.Errorf("%s: %d, with a slash %d", path, plain.status, slashed.status)
		}
	}
	for _, header := range []string{"X-None: 1", "Authorization: Token nobody"} {
		plain, slashed := d.send(http.MethodPost, "/mcp", listTools, header), d.send(http.MethodPost, "/mcp/", listTools, header)
		if plain.status != slashed.status || plain.body != slashed.body {
			t.Errorf("refused %d, with a slash %d", plain.status, slashed.status)
		}
	}
}

func TestForeignHostsAndOriginsAreRefusedBeforeAnythingRuns(t *testing.T) { // B29
	for name, c := range map[string]struct {
		header string
		status int
	}{
		"another origin":                     {"Origin: https://evil.example", 403},
		"an origin that only begins alike":   {"Origin: https://harbour-mcp.example.com.evil.example", 403},
		"null":                               {"Origin: null", 403},
		"the right name with another scheme": {"Origin: http://harbour-mcp.example.com", 403},
		"another host":                       {"Host: evil.example", 403},
		"our own origin":                     {"Origin: https://harbour-mcp.example.com", 200},
		"an inspector on this machine":       {"Origin: http://localhost:6274", 200},
		"our own host with a port":           {"Host: harbour-mcp.example.com:443", 200},
		"our own host in capitals":           {"Host: HARBOUR-mcp.example.com", 200},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			d.platform.says(201, `{"data":{"id":1}}`)
			body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_ship","arguments":{"name":"Boa"}}}`
			got := d.send(http.MethodPost, "/mcp", body, asMember, c.header)
			if got.status != c.status {
				t.Fatalf("status %d: %s", got.status, got.body)
			}
			ran := len(d.platform.requests()) > 0
			if ran != (c.status == 200) {
				t.Errorf("the call ran: %v", ran)
			}
			if refused := d.refused(); c.status == 403 && len(refused) != 1 {
				t.Errorf("refusals recorded: %v", refused)
			}
		})
	}
}

func TestABrowserMayAskFirst(t *testing.T) { // B28
	d := open(t)
	for _, path := range []string{"/mcp", "/mcp/ships", "/.well-known/oauth-protected-resource/mcp", "/tools.json"} {
		got := d.send(http.MethodOptions, path, "", "Origin: http://localhost:6274", "Access-Control-Request-Method: POST",
			"Access-Control-Request-Headers: authorization,content-type,mcp-protocol-version,mcp-session-id,last-event-id")
		if got.status != 204 {
			t.Fatalf("%s: %d", path, got.status)
		}
		allowed := strings.ToLower(got.header.Get("Access-Control-Allow-Headers"))
		for _, name := range []string{"authorization", "content-type", "mcp-protocol-version", "mcp-session-id", "last-event-id"} {
			if !strings.Contains(allowed, name) {
				t.Errorf("%s does not allow %s", path, name)
			}
		}
		if m := got.header.Get("Access-Control-Allow-Methods"); !strings.Contains(m, "POST") || !strings.Contains(m, "DELETE") {
			t.Errorf("methods %q", m)
		}
		if got.header.Get("Access-Control-Max-Age") == "" || got.header.Get("Access-Control-Allow-Origin") != "http://localhost:6274" {
			t.Errorf("%s: %v", path, got.header)
		}
	}
	if got := d.send(http.MethodOptions, "/mcp", "", "Origin: https://evil.example", "Access-Control-Request-Method: POST"); got.status != 403 {
		t.Errorf("a foreign origin got %d", got.status)
	}
	got := d.send(http.MethodPost, "/mcp", listTools, "Origin: http://localhost:6274")
	exposed := got.header.Get("Access-Control-Expose-Headers")
	if got.status != 401 || !strings.Contains(exposed, "WWW-Authenticate") || !strings.Contains(exposed, "Mcp-Session-Id") {
		t.Errorf("the challenge cannot be read: %d, %q", got.status, exposed)
	}
}

func TestPingNeedsNoAuthentication(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":"p","method":"tools/call","params":{"name":"ping","arguments":{}}}`
	for name, c := range map[string]struct {
		path, body string
		headers    []string
		status     int
	}{
		"a ping":                      {"/mcp", ping, nil, 200},
		"a ping in a profile":         {"/mcp/ships/", ping, nil, 200},
		"a ping without arguments":    {"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping"}}`, nil, 200},
		"a batch of one":              {"/mcp", "[" + ping + "]", nil, 401},
		"another tool":                {"/mcp", strings.Replace(ping, `"ping"`, `"list_ships"`, 1), nil, 401},
		"the protocol's own ping":     {"/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, nil, 401},
		"a bad token":                 {"/mcp", ping, []string{"Authorization: Token nobody"}, 403},
		"an unknown path":             {"/mcp/none", ping, nil, 401},
		"a huge body":                 {"/mcp", strings.Replace(ping, "{}", `{"x":"`+strings.Repeat("x", 20_000)+`"}`, 1), nil, 401},
		"a method hidden in capitals": {"/mcp", `{"jsonrpc":"2.0","id":1,"Method":"tools/call","method":"tools/list","params":{"name":"ping"}}`, nil, 401},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			got := d.send(http.MethodPost, c.path, c.body, c.headers...)
			if got.status != c.status {
				t.Fatalf("status %d: %s", got.status, got.body)
			}
			if got.status == 200 && !strings.Contains(got.body, `"structuredContent":{"area":"harbour","ok":true,"version":"1.2.3"}`) {
				t.Error(got.body)
			}
		})
	}
}

func TestTheEleventhPingOfASecondIsRefused(t *testing.T) {
	d := open(t)
	const ping = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping","arguments":{}}}`
	refused := 0
	for range 40 {
		got := d.send(http.MethodPost, "/mcp", ping)
		if got.status == 429 {
			refused++
			if got.header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		}
	}
	if refused == 0 || len(d.refused()) != refused {
		t.Errorf("%d of 40 refused, %d recorded", refused, len(d.refused()))
	}
}

func TestOtherRequestsAreLimited(t *testing.T) {
	d := open(t)
	d.patience = 2
	d.platform.says(200, `{"data":{"id":1}}`)
	for i := range 4 {
		got := d.send(http.MethodPost, "/mcp", listTools, asMember)
		if want := map[bool]int{true: 200, false: 429}[i < 2]; got.status != want {
			t.Errorf("request %d: %d", i, got.status)
		}
		if got.status == 429 && got.header.Get("Retry-After") != "1" {
			t.Errorf("Retry-After %q", got.header.Get("Retry-After"))
		}
	}
	if got := d.call("retrieve_ship", `{"ship_id":1}`, asMember); got["result"] == nil {
		t.Errorf("a call does not count as another request: %v", got)
	}
}

func TestALargeBodyIsRefusedWith413(t *testing.T) {
	d := open(t)
	huge := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"` + strings.Repeat("x", 4<<20) + `"}}`
	got := d.send(http.MethodPost, "/mcp", huge, asMember)
	if got.status != 413 || got.json(t)["error"] == nil {
		t.Errorf("%d %s", got.status, got.body)
	}
	fits := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"` + strings.Repeat("x", 4<<20-100) + `"}}`
	if got := d.send(http.MethodPost, "/mcp", fits, asMember); got.status != 200 {
		t.Errorf("4 MiB less a little: %d", got.status)
	}
}
