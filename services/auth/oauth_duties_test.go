package auth

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func get(t *testing.T, target string, headers ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

func TestTheMetadataSaysWhatClientsNeed(t *testing.T) {
	r := newWorld(t).withOAuth(nil)
	for _, path := range []string{"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"} {
		response, body := get(t, r.HTTP+path, "X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "https")
		var told map[string]any
		if err := json.Unmarshal([]byte(body), &told); err != nil {
			t.Fatalf("%s answered %d %s", path, response.StatusCode, body)
		}
		for field, want := range map[string]any{
			"issuer":                 r.HTTP,
			"authorization_endpoint": r.HTTP + "/authorize",
			"token_endpoint":         r.HTTP + "/token",
			"registration_endpoint":  r.HTTP + "/register",
			"revocation_endpoint":    r.HTTP + "/revoke",
			"authorization_response_iss_parameter_supported": true,
			"client_id_metadata_document_supported":          true,
		} {
			if told[field] != want {
				t.Errorf("%s is %v, want %v", field, told[field], want)
			}
		}
		for field, want := range map[string]string{
			"code_challenge_methods_supported":      `["S256"]`,
			"token_endpoint_auth_methods_supported": `["none"]`,
			"response_types_supported":              `["code"]`,
			"grant_types_supported":                 `["authorization_code","refresh_token"]`,
		} {
			if got, _ := json.Marshal(told[field]); string(got) != want {
				t.Errorf("%s is %s, want %s", field, got, want)
			}
		}
		if strings.Contains(body, "evil.example") || strings.Contains(body, "offline_access") || strings.Contains(body, "jwks_uri") {
			t.Errorf("the document says too much: %s", body)
		}
		if response.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Error("clients in browsers cannot read it")
		}
	}
	if response, body := get(t, r.HTTP+"/.well-known/oauth-authorization-server/other"); response.StatusCode != 404 || !json.Valid([]byte(body)) {
		t.Errorf("another issuer's document: %d %s", response.StatusCode, body)
	}
}

func TestRegistering(t *testing.T) {
	w := newWorld(t)
	r := w.withOAuth(func(c *Config) { c.OAuth.RegistrationsPerAddress = 4 })
	b := newBrowser(t, r.HTTP)
	t.Run("a public client gets an id, no secret, and all scopes", func(t *testing.T) {
		status, a := b.register(`{"client_name":"cli\u0000\u202e x","redirect_uris":["http://127.0.0.1/callback"],"client_uri":"http://x","grant_types":["authorization_code","refresh_token"],"token_endpoint_auth_method":"client_secret_post","application_type":"native","foreign":1}`)
		scopes, _ := a["scope"].(string)
		if status != 201 || a["client_id"] == "" || a["client_secret"] != nil || a["token_endpoint_auth_method"] != "none" || len(strings.Fields(scopes)) != 10 {
			t.Errorf("answered %d %v", status, a)
		}
		if a["client_name"] != "cli x" || a["client_uri"] != nil || a["foreign"] != nil || a["application_type"] != "native" {
			t.Errorf("registered as %v", a)
		}
	})
	for name, c := range map[string]struct{ body, code string }{
		"no redirect URI":       {`{"client_name":"x"}`, "invalid_redirect_uri"},
		"a script":              {`{"redirect_uris":["javascript:alert(1)"]}`, "invalid_redirect_uri"},
		"plain http":            {`{"redirect_uris":["http://agent.example/cb"]}`, "invalid_redirect_uri"},
		"one bad among several": {`{"redirect_uris":["https://agent.example/cb","https://agent.example/cb#x"]}`, "invalid_redirect_uri"},
		"another grant only":    {`{"redirect_uris":["https://agent.example/cb"],"grant_types":["client_credentials"]}`, "invalid_client_metadata"},
		"no JSON":               {`redirect_uris=x`, "invalid_client_metadata"},
		"too long":              {`{"redirect_uris":["https://agent.example/` + strings.Repeat("a", 20<<10) + `"]}`, "invalid_client_metadata"},
	} {
		t.Run(name, func(t *testing.T) {
			if status, a := b.register(c.body); status != 400 || a["error"] != c.code {
				t.Errorf("answered %d %v", status, a)
			}
		})
	}
	t.Run("one address registers no more than it may", func(t *testing.T) {
		var last int
		for range 4 {
			last, _ = b.register(`{"redirect_uris":["https://agent.example/cb"]}`)
		}
		if last != http.StatusTooManyRequests {
			t.Errorf("the fifth was answered %d", last)
		}
	})
}

func TestARequestThatCannotBeTrustedIsNeverRedirected(t *testing.T) {
	r := newWorld(t).withOAuth(nil)
	b := newBrowser(t, r.HTTP)
	id := b.client()
	for name, change := range map[string]func(url.Values){
		"an unknown client":                    func(v url.Values) { v.Set("client_id", "dc_"+strings.Repeat("0", 32)) },
		"no client":                            func(v url.Values) { v.Del("client_id") },
		"another path":                         func(v url.Values) { v.Set("redirect_uri", "http://127.0.0.1:1/other") },
		"https on loopback":                    func(v url.Values) { v.Set("redirect_uri", "https://127.0.0.1:1/callback") },
		"a host that only begins alike":        func(v url.Values) { v.Set("redirect_uri", "http://127.0.0.1.evil.example/callback") },
		"elsewhere":                            func(v url.Values) { v.Set("redirect_uri", "https://evil.example/") },
		"two redirect URIs":                    func(v url.Values) { v.Add("redirect_uri", "https://evil.example/"); slices.Reverse(v["redirect_uri"]) },
		"a document that is no public address": func(v url.Values) { v.Set("client_id", "https://127.0.0.1/client.json") },
	} {
		t.Run(name, func(t *testing.T) {
			values := request(id)
			change(values)
			response := b.do(http.MethodGet, "/authorize?"+values.Encode(), nil)
			if response.StatusCode != http.StatusBadRequest || response.Header.Get("Location") != "" || !strings.Contains(b.body, "<h1>") {
				t.Errorf("answered %d, to %q", response.StatusCode, response.Header.Get("Location"))
			}
		})
	}
}

func TestAWrongRequestIsToldToItsClient(t *testing.T) {
	r := newWorld(t).withOAuth(nil)
	b := newBrowser(t, r.HTTP)
	id := b.client()
	for name, c := range map[string]struct {
		change func(url.Values)
		code   string
	}{
		"no challenge":          {func(v url.Values) { v.Del("code_challenge") }, "invalid_request"},
		"a plain challenge":     {func(v url.Values) { v.Set("code_challenge_method", "plain") }, "invalid_request"},
		"no challenge method":   {func(v url.Values) { v.Del("code_challenge_method") }, "invalid_request"},
		"a challenge too short": {func(v url.Values) { v.Set("code_challenge", "abc") }, "invalid_request"},
		"another response":      {func(v url.Values) { v.Set("response_type", "token") }, "unsupported_response_type"},
		"a foreign resource":    {func(v url.Values) { v.Set("resource", "https://evil.example/") }, "invalid_target"},
		"a parameter twice":     {func(v url.Values) { v.Add("scope", "docs:read") }, "invalid_request"},
		"only unknown scopes":   {func(v url.Values) { v.Set("scope", "x"); v.Del("resource") }, "invalid_scope"},
		"a request object":      {func(v url.Values) { v.Set("request", "x") }, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			values := request(id)
			values.Set("state", "\xff\x00 &=%")
			c.change(values)
			got := b.answered(b.authorize(values))
			if got.Get("error") != c.code || got.Get("iss") != r.HTTP || got.Get("state") != values.Get("state") {
				t.Errorf("the client is told %q", got)
			}
		})
	}
	for name, change := range map[string]func(url.Values){
		"a slash after the resource":           func(v url.Values) { v.Set("resource", buildMCP+"/") },
		"the bare origin":                      func(v url.Values) { v.Set("resource", "https://build-mcp.example.com") },
		"no resource":                          func(v url.Values) { v.Del("resource") },
		"no scope":                             func(v url.Values) { v.Del("scope") },
		"a scope of the client's own, besides": func(v url.Values) { v.Set("scope", "build:read offline_access mcp") },
		"only offline_access":                  func(v url.Values) { v.Set("scope", "offline_access") },
		"another loopback port":                func(v url.Values) { v.Set("redirect_uri", "http://127.0.0.1:51004/callback") },
	} {
		t.Run("fine is "+name, func(t *testing.T) {
			values := request(id)
			change(values)
			if path := b.authorize(values); !strings.HasPrefix(path, "/authorize/") {
				t.Errorf("the browser is sent to %q", path)
			}
		})
	}
}

func TestWrongTokenRequests(t *testing.T) {
	r := newWorld(t).withOAuth(nil)
	b := newBrowser(t, r.HTTP)
	id := b.client()
	for name, c := range map[string]struct {
		form   url.Values
		status int
		code   string
	}{
		"a client that was forgotten": {url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"x"}, "client_id": {"gone"}}, 401, "invalid_client"},
		"no client":                   {url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"x"}}, 401, "invalid_client"},
		"another grant":               {url.Values{"grant_type": {"password"}, "client_id": {id}}, 400, "unsupported_grant_type"},
		"no grant":                    {url.Values{"client_id": {id}}, 400, "invalid_request"},
		"an invented code":            {exchange(id, "ac_x"), 400, "invalid_grant"},
		"an invented refresh token":   {url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"x"}, "client_id": {id}}, 400, "invalid_grant"},
		"a parameter twice":           {url.Values{"grant_type": {"refresh_token", "refresh_token"}, "client_id": {id}}, 400, "invalid_request"},
		"two resources":               {url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"x"}, "client_id": {id}, "resource": {buildMCP, docsMCP}}, 400, "invalid_target"},
	} {
		t.Run(name, func(t *testing.T) {
			status, a := b.post("/token", c.form)
			if status != c.status || a["error"] != c.code || b.head.Get("Cache-Control") != "no-store" {
				t.Errorf("answered %d %v", status, a)
			}
		})
	}
}

// TestConsentCannotBeGivenByAnotherSite is the bug bank's B14.
func TestConsentCannotBeGivenByAnotherSite(t *testing.T) {
	r := newWorld(t).withOAuth(nil)
	attacker, victim := newBrowser(t, r.HTTP), newBrowser(t, r.HTTP)
	id := attacker.client()
	path := attacker.authorize(request(id))
	attacker.signIn(path, readerToken)
	form := attacker.form(path)
	form.Set("decision", "approve")
	own := victim.authorize(request(id))
	victim.signIn(own, goodToken)

	t.Run("the page cannot be framed and tells nobody where it was", func(t *testing.T) {
		policy := victim.head.Get("Content-Security-Policy")
		if !strings.Contains(policy, "frame-ancestors 'none'") || victim.head.Get("Referrer-Policy") != "no-referrer" || victim.head.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("headers: %v", victim.head)
		}
	})
	for name, send := range map[string]func() *http.Response{
		"another's form in one's own browser":  func() *http.Response { return victim.do(http.MethodPost, path, form) },
		"another's form for one's own request": func() *http.Response { return victim.do(http.MethodPost, own, form) },
		"one's own form from another origin": func() *http.Response {
			return victim.do(http.MethodPost, own, approval(victim, own), "Origin", "https://evil.example")
		},
		"one's own form from another site's frame": func() *http.Response {
			return victim.do(http.MethodPost, own, approval(victim, own), "Sec-Fetch-Site", "cross-site")
		},
		"a form without its token": func() *http.Response {
			f := approval(victim, own)
			f.Del("form")
			return victim.do(http.MethodPost, own, f)
		},
		"one's own form in a browser of nobody": func() *http.Response { return newBrowser(t, r.HTTP).do(http.MethodPost, own, approval(victim, own)) },
	} {
		t.Run(name, func(t *testing.T) {
			if response := send(); response.StatusCode != http.StatusForbidden && response.StatusCode != http.StatusNotFound || response.Header.Get("Location") != "" {
				t.Errorf("answered %d, to %q", response.StatusCode, response.Header.Get("Location"))
			}
		})
	}
	t.Run("anything but an approval approves nothing", func(t *testing.T) {
		f := approval(victim, own)
		f.Set("decision", "yes")
		if response := victim.do(http.MethodPost, own, f); response.StatusCode != http.StatusOK {
			t.Errorf("answered %d", response.StatusCode)
		}
	})
	t.Run("a refusal is told, and the request is over", func(t *testing.T) {
		f := approval(victim, own)
		f.Set("decision", "refuse")
		got := victim.answered(victim.do(http.MethodPost, own, f).Header.Get("Location"))
		if got.Get("error") != "access_denied" || got.Get("iss") != r.HTTP || got.Get("code") != "" {
			t.Errorf("the client is told %v", got)
		}
		f.Set("decision", "approve")
		if response := victim.do(http.MethodPost, own, f); response.Header.Get("Location") != "" {
			t.Error("it was answered a second time")
		}
	})
}

func approval(b *browser, path string) url.Values {
	b.t.Helper()
	b.do(http.MethodGet, path, nil)
	form := b.form(path)
	form.Set("decision", "approve")
	return form
}

// TestARestartForgetsNobody is the bug bank's B10.
func TestARestartForgetsNobody(t *testing.T) {
	w := newWorld(t)
	first := w.withOAuth(nil)
	b := newBrowser(t, first.HTTP)
	id := b.client()
	tokens := b.connect(id, nil)
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	second := w.withOAuth(nil)
	b.base = second.HTTP
	if _, err := w.client(second).Authenticate(t.Context(), bearer(tokens["access_token"]), "build", ""); err != nil {
		t.Errorf("the access token: %v", err)
	}
	status, answer := b.post("/token", url.Values{"grant_type": {"refresh_token"}, "client_id": {id}, "refresh_token": {tokens["refresh_token"].(string)}})
	if status != http.StatusOK {
		t.Errorf("the refresh: %d %v", status, answer)
	}
	if path := b.authorize(request(id)); !strings.HasPrefix(path, "/authorize/") {
		t.Errorf("the client is not known any more: %q", path)
	}
}

// TestNoTokenOfOursIsStored: a copy of the store opens nothing.
func TestNoTokenOfOursIsStored(t *testing.T) {
	w := newWorld(t)
	r := w.withOAuth(nil)
	b := newBrowser(t, r.HTTP)
	id := b.client()
	path := b.authorize(request(id))
	b.signIn(path, goodToken)
	code := b.approve(path, nil).Get("code")
	_, tokens := b.post("/token", exchange(id, code))
	cookies := b.http.Jar.Cookies(&url.URL{Scheme: "http", Host: strings.TrimPrefix(r.HTTP, "http://"), Path: "/"})
	if len(cookies) != 2 {
		t.Fatalf("cookies: %v", cookies)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	w.stopNATS()
	stored := files(t, w.natsDir)
	if !strings.Contains(stored, id) {
		t.Fatal("NATS' files were not read, so that this test shows nothing")
	}
	for name, secret := range map[string]string{
		"the code": code, "the access token": tokens["access_token"].(string), "the refresh token": tokens["refresh_token"].(string),
		"the personal token": string(goodToken), "one cookie": cookies[0].Value, "the other cookie": cookies[1].Value,
	} {
		if strings.Contains(stored, secret) {
			t.Errorf("%s is in the store", name)
		}
	}
}
