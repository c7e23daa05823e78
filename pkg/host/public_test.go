package host_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/comporta-mcp/comporta/pkg/host"
)

func TestEachEndpointHasItsOwnResourceDocument(t *testing.T) { // B01, B03
	d := open(t)
	for path, resource := range map[string]string{
		"/.well-known/oauth-protected-resource":           publicURL + "/mcp",
		"/.well-known/oauth-protected-resource/":          publicURL + "/mcp",
		"/.well-known/oauth-protected-resource/mcp":       publicURL + "/mcp",
		"/.well-known/oauth-protected-resource/mcp/ships": publicURL + "/mcp/ships",
		"/.well-known/oauth-protected-resource/mcp/tugs/": publicURL + "/mcp/tugs",
	} {
		got := d.send(http.MethodGet, path, "")
		if got.status != 200 || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s", path, got.status, got.header.Get("Content-Type"))
			continue
		}
		doc := got.json(t)
		if doc["resource"] != resource || doc["authorization_servers"].([]any)[0] != "https://auth.example.com" {
			t.Errorf("%s: %s", path, got.body)
		}
		if diff := cmp.Diff([]any{"harbour:read", "harbour:write"}, doc["scopes_supported"]); diff != "" {
			t.Error(diff)
		}
	}
	for _, path := range []string{"/.well-known/oauth-protected-resource/mcp/none", "/.well-known/oauth-protected-resource/other",
		"/.well-known/oauth-protected-resourcemcp", "/.well-known/openid-configuration", "/.well-known"} {
		got := d.send(http.MethodGet, path, "")
		if got.status != 404 || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s", path, got.status, got.header.Get("Content-Type"))
		}
	}
}

func TestTheChallengeLeadsToTheDocumentOfTheEndpoint(t *testing.T) { // B03, B05
	d := open(t)
	named := regexp.MustCompile(`resource_metadata="([^"]+)"`)
	for _, path := range []string{"/mcp", "/mcp/", "/mcp/ships", "/mcp/tugs/"} {
		challenge := d.send(http.MethodPost, path, listTools).header.Get("WWW-Authenticate")
		found := named.FindStringSubmatch(challenge)
		if found == nil {
			t.Fatalf("%s: %q", path, challenge)
		}
		doc := d.send(http.MethodGet, strings.TrimPrefix(found[1], publicURL), "").json(t)
		if want := publicURL + strings.TrimSuffix(path, "/"); doc["resource"] != want {
			t.Errorf("%s leads to %v", path, doc["resource"])
		}
	}
}

func TestNoPublishedURLComesFromTheRequest(t *testing.T) { // B04
	d := open(t, serving(t, http.StatusOK, `{"issuer":"https://auth.example.com"}`))
	for _, path := range []string{"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server", "/", "/mcp/docs", "/tools.json"} {
		got := d.send(http.MethodGet, path, "", "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: http", "Forwarded: host=evil.example;proto=http")
		if got.status != 200 || strings.Contains(got.body, "evil") || strings.Contains(got.body, "http://127") {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	challenge := d.send(http.MethodPost, "/mcp", listTools, "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: http").header.Get("WWW-Authenticate")
	if !strings.Contains(challenge, publicURL) || strings.Contains(challenge, "evil") {
		t.Error(challenge)
	}
}

// serving puts an authorization server behind the host.
func serving(t *testing.T, status int, body string) option {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.URL.Path != "/.well-known/oauth-authorization-server" || asked > 1 {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	return func(_ *host.Area, cfg *host.Config, _ *host.Wiring) { cfg.AuthHTTP = server.URL }
}

func TestTheAuthorizationServersDocumentIsPassedOn(t *testing.T) { // B01
	const body = `{"issuer":"https://auth.example.com","x":1}`
	d := open(t, serving(t, http.StatusOK, body))
	for _, path := range []string{"/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/mcp", "/.well-known/oauth-authorization-server/mcp/ships/"} {
		if got := d.send(http.MethodGet, path, ""); got.status != 200 || got.body != body {
			t.Errorf("%s: %d %s (only the first request may ask)", path, got.status, got.body)
		}
	}
	d = open(t, serving(t, http.StatusNotFound, "no"))
	if got := d.send(http.MethodGet, "/.well-known/oauth-authorization-server", ""); got.status != 404 {
		t.Errorf("a 404 became %d", got.status)
	}
	d = open(t, serving(t, http.StatusBadGateway, "<html>"))
	got := d.send(http.MethodGet, "/.well-known/oauth-authorization-server", "")
	if got.status != 503 || got.header.Get("Retry-After") == "" || strings.Contains(got.body, "html") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestToolsJSONTellsEveryTool(t *testing.T) {
	d := open(t)
	got := d.send(http.MethodGet, "/tools.json", "")
	var doc struct {
		Area, Version string
		Tools         []map[string]json.RawMessage
		Never         []map[string]string
	}
	if err := json.Unmarshal([]byte(got.body), &doc); err != nil || got.status != 200 {
		t.Fatal(got.status, err)
	}
	if doc.Area != "harbour" || doc.Version != "1.2.3" || len(doc.Tools) != 8+len(commonTools)+2 {
		t.Errorf("%s %s, %d tools", doc.Area, doc.Version, len(doc.Tools))
	}
	if len(doc.Never) != 9 { // create_captain, and the eight of contract §5
		t.Errorf("%d things that no agent may: %v", len(doc.Never), doc.Never)
	}
	if diff := cmp.Diff(map[string]string{"name": "create_captain", "why": "people choose their captains themselves"}, doc.Never[0]); diff != "" {
		t.Error(diff)
	}
	for _, tool := range doc.Tools {
		for _, key := range []string{"name", "title", "description", "profiles", "inputSchema", "outputSchema", "annotations", "effect",
			"confirm", "approval", "operation", "idempotency", "limits", "untrusted", "admin"} {
			if tool[key] == nil {
				t.Errorf("%s has no %s", tool["name"], key)
			}
		}
		for _, key := range []string{"profiles", "limits", "untrusted"} {
			if string(tool[key]) == "null" {
				t.Errorf("%s: %s is null", tool["name"], key)
			}
		}
	}
	again := d.send(http.MethodGet, "/tools.json", "", "If-None-Match: "+got.header.Get("ETag"))
	if again.status != 304 || again.body != "" {
		t.Errorf("unchanged: %d", again.status)
	}
}

func TestPagesTellPeopleWhatAndHow(t *testing.T) {
	d := open(t)
	front, docs := d.send(http.MethodGet, "/", ""), d.send(http.MethodGet, "/mcp/docs", "")
	for page, wants := range map[string][]string{
		front.body: {"Ships and tugs.", "Which ships are here?", publicURL + "/mcp", "/mcp/ships", "Claude Code", "Claude Desktop", "Cursor",
			"VS Code", "Codex", "curl", "claude mcp add --transport http harbour-mcp " + publicURL + "/mcp", "Authorization: Token", "revoke the token"},
		docs.body: {`id="delete_ship"`, "&#34;confirmacion&#34;: &#34;its exact name&#34;", "destroys", "asks a person", "ship_id", "required", "create_captain", "people choose their captains themselves", "tools/call"},
	} {
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("a page does not say %q", want)
			}
		}
		if strings.Contains(page, "ZgotmplZ") {
			t.Error("html/template refused a value")
		}
	}
	if strings.Contains(front.body, "<script") || !strings.Contains(docs.body, `class="find" hidden`) {
		t.Error("the front needs no script, and the box that needs one is not shown without it")
	}
	for _, page := range []reply{front, docs} {
		for _, tag := range []string{"style", "script"} {
			_, text, found := strings.Cut(page.body, "<"+tag+">")
			text, _, _ = strings.Cut(text, "</"+tag+">")
			sum := sha256.Sum256([]byte(text))
			if hash := base64.StdEncoding.EncodeToString(sum[:]); found && !strings.Contains(page.header.Get("Content-Security-Policy"), tag+"-src 'sha256-"+hash+"'") {
				t.Errorf("the policy bars the page's own %s", tag)
			}
		}
		csp := page.header.Get("Content-Security-Policy")
		if page.status != 200 || !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%d %q", page.status, csp)
		}
	}
	if got := d.send(http.MethodPost, "/tools.json", ""); got.status != 405 {
		t.Errorf("POST on a page: %d", got.status)
	}
}

func TestAWrongAreaIsRefusedAtStart(t *testing.T) {
	for name, change := range map[string]option{
		"": func(*host.Area, *host.Config, *host.Wiring) {}, // the right one
		"a profile called docs": func(a *host.Area, _ *host.Config, _ *host.Wiring) {
			a.Profiles = append(a.Profiles, host.Profile{Name: "docs"})
		},
		"two profiles of one name": func(a *host.Area, _ *host.Config, _ *host.Wiring) { a.Profiles = append(a.Profiles, a.Profiles[0]) },
		"a tool that names an unknown profile": func(a *host.Area, _ *host.Config, _ *host.Wiring) {
			a.Profiles = a.Profiles[:1]
		},
		"a locale that nobody speaks": func(_ *host.Area, c *host.Config, _ *host.Wiring) { c.Locale = "xx" },
		"a tool of a common name":     own("ping", nil),
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			area, cfg, wiring := harbour(), host.Defaults(), d.wiring
			cfg.PublicURL, cfg.AuthURL = publicURL, "https://auth.example.com"
			wiring.Metrics = prometheus.NewRegistry()
			change(&area, &cfg, &wiring)
			if _, err := host.New(area, cfg, wiring); (err == nil) != (name == "") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestPagesSpeakTheReadersLanguage(t *testing.T) {
	d := open(t)
	for _, c := range []struct{ wanted, tag, front, docs string }{
		{"", "en", "Ask for it like this", "An example call"},
		{"fr, de;q=0.8", "en", "Ask for it like this", "An example call"},
		{"pt", "pt-BR", "Peça assim", "Um exemplo de chamada"},
		{"es-AR, en;q=0.5", "es", "Pídelo así", "Una llamada de ejemplo"},
	} {
		etags := map[string]bool{}
		for path, want := range map[string]string{"/": c.front, "/mcp/docs": c.docs} {
			page := d.send(http.MethodGet, path, "", "Accept-Language: "+c.wanted)
			if !strings.Contains(page.body, want) || !strings.Contains(page.body, `<html lang="`+c.tag+`">`) {
				t.Errorf("%s for %q is not in %s", path, c.wanted, c.tag)
			}
			if page.header.Get("Content-Language") != c.tag || page.header.Get("Vary") != "Accept-Language" {
				t.Errorf("%s for %q: %v", path, c.wanted, page.header)
			}
			if marked := strings.Contains(page.body, `lang="en">Ships and tugs.`); marked != (c.tag != "en") {
				t.Errorf("%s in %s: what the documents say is marked as English: %t", path, c.tag, marked)
			}
			etags[page.header.Get("ETag")] = true
		}
		if len(etags) != 2 {
			t.Error("two pages have one ETag")
		}
	}
	if tools := d.send(http.MethodGet, "/tools.json", "", "Accept-Language: es"); tools.header.Get("Content-Language") != "" {
		t.Error("tools.json is in one language")
	}
}
