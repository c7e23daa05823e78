package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/services/catalogs"
)

type fields = map[string]any

// made makes something and answers its id.
func (b *box) made(path string, body fields) string {
	b.t.Helper()
	g := b.post(path, body)
	return text(g.data()["id"])
}

// post is a good POST, whichever good status it has.
func (b *box) post(path string, body fields) got {
	b.t.Helper()
	for _, op := range b.model.Operations {
		if op.Method == "POST" && shapesAlike(op.Template, path) {
			return b.do(op.Answer.Status, "admin", "POST", path, body)
		}
	}
	b.t.Fatalf("no document has POST %s", path)
	return got{}
}

func shapesAlike(template, path string) bool {
	of, steps := strings.Split(template, "/"), strings.Split(path, "/")
	if len(of) != len(steps) {
		return false
	}
	for i := range of {
		if of[i] != steps[i] && !strings.HasPrefix(of[i], "{") {
			return false
		}
	}
	return true
}

func TestADatabaseIsSQLiteAlsoAfterARestart(t *testing.T) {
	b := open(t, catalogs.Documents())
	path := "/workspace/sql/databases/" + b.made("/workspace/sql/databases", fields{"name": "orders"})
	query := func(status int, statements ...any) got {
		return b.do(status, "admin", "POST", path+"/query", fields{"statements": statements})
	}
	query(200, "CREATE TABLE t (id INTEGER PRIMARY KEY, what TEXT)", "INSERT INTO t (what) VALUES ('a'), ('b')")
	b.restart()
	g := query(200, "SELECT id, what FROM t ORDER BY id DESC")
	if want := `{"columns":["id","what"],"rows":[[2,"b"],[1,"a"]]}`; !strings.Contains(string(g.raw), want) {
		t.Errorf("answered %s, want %s", g.raw, want)
	}
	query(422, "SELECT * FROM nowhere")
	query(422, "ATTACH 'other.db' AS other")
	b.do(409, "admin", "POST", "/workspace/sql/databases", fields{"name": "orders"})
	b.do(404, "outsider", "POST", path+"/query", fields{"statements": []any{"SELECT 1"}})
	b.do(202, "admin", "DELETE", path, nil)
	query(409, "SELECT 1")
	b.pass(time.Minute)
	query(404, "SELECT 1")
}

func TestWhatIsNamedMustExist(t *testing.T) {
	b := open(t, catalogs.Documents())
	app := "/workspace/applications/" + b.made("/workspace/applications", fields{"name": "shop"})
	g := b.do(400, "admin", "POST", app+"/functions", fields{"name": "f", "function": 5})
	if want := `"pointer":"/function"`; !strings.Contains(string(g.raw), want) {
		t.Errorf("answered %s, want %s", g.raw, want)
	}
	rule := fields{
		"name": "r", "criteria": []any{[]any{fields{"conditional": "if", "variable": "${uri}", "operator": "starts_with", "argument": "/"}}},
		"behaviors": []any{fields{"type": "deliver"}, fields{"type": "set_cache_policy", "attributes": fields{"value": 7}}},
	}
	g = b.do(400, "admin", "POST", app+"/request_rules", rule)
	if want := `"pointer":"/behaviors/1/attributes/value"`; !strings.Contains(string(g.raw), want) {
		t.Errorf("answered %s, want %s", g.raw, want)
	}
	rule["behaviors"] = []any{fields{"type": "run_function", "attributes": fields{"value": "${arg_function}"}}}
	b.do(201, "admin", "POST", app+"/request_rules", rule) // a variable names nothing that could be looked up
}

func TestACloneNamesItsOwnParts(t *testing.T) {
	b := open(t, catalogs.Documents())
	app := "/workspace/applications/" + b.made("/workspace/applications", fields{"name": "shop"})
	old := b.made(app+"/cache_settings", fields{"name": "a day"})
	connector := b.made("/workspace/connectors", fields{"name": "origin", "type": "http", "attributes": fields{"addresses": []any{fields{"address": "www.example.com"}}}})
	b.post(app+"/request_rules", fields{
		"name": "r", "criteria": []any{[]any{fields{"conditional": "if", "variable": "${uri}", "operator": "starts_with", "argument": "/"}}},
		"behaviors": []any{
			fields{"type": "set_cache_policy", "attributes": fields{"value": number(old)}},
			fields{"type": "set_connector", "attributes": fields{"value": number(connector)}},
		},
	})
	copied := "/workspace/applications/" + b.made(app+"/clone", fields{"name": "copy"})
	now := text(b.do(200, "admin", "GET", copied+"/cache_settings", nil).results()[0]["id"])
	rules := string(b.do(200, "admin", "GET", copied+"/request_rules", nil).raw)
	if now == old || !strings.Contains(rules, `"value":`+now+`}`) || !strings.Contains(rules, `"value":`+connector+`}`) {
		t.Errorf("the copy's cache setting is %s (was %s), its connector %s, its rules %s", now, old, connector, rules)
	}
	b.do(200, "admin", "DELETE", app, nil)
	b.do(200, "admin", "GET", copied+"/cache_settings/"+now, nil)
}

func TestRecordsFitTheirTypeAndEachOther(t *testing.T) {
	b := open(t, catalogs.Documents())
	zone := "/workspace/dns/zones/" + b.made("/workspace/dns/zones", fields{"name": "z", "domain": "example.com", "active": true})
	b.do(409, "admin", "POST", "/workspace/dns/zones", fields{"name": "again", "domain": "example.com", "active": true})
	record := func(status int, name, kind, value, policy string) {
		b.t.Helper()
		b.do(status, "admin", "POST", zone+"/records", fields{"name": name, "type": kind, "rdata": []any{value}, "policy": policy})
	}
	record(201, "www", "A", "192.0.2.1", "simple")
	record(400, "www", "A", "192.0.2.2", "simple")
	record(400, "www", "CNAME", "a.example.com", "simple")
	record(400, "mail", "MX", "mail.example.com", "simple")
	record(400, "@", "CNAME", "a.example.com", "simple")
	record(201, "@", "ANAME", "a.example.com", "simple")
	record(201, "w", "A", "192.0.2.1", "weighted")
	record(201, "w", "A", "192.0.2.2", "weighted")
	record(400, "w", "A", "192.0.2.3", "simple")
}

func TestASignedZoneGetsItsKeysInTime(t *testing.T) {
	b := open(t, catalogs.Documents())
	path := "/workspace/dns/zones/" + b.made("/workspace/dns/zones", fields{"name": "z", "domain": "example.com", "active": true}) + "/dnssec"
	want := func(status string, signed bool) fields {
		t.Helper()
		data := b.do(200, "admin", "GET", path, nil).data()
		signer, _ := data["delegation_signer"].(fields)
		if data["status"] != status || (signer != nil) != signed {
			t.Errorf("dnssec is %v, want %s, signed %v", data, status, signed)
		}
		return signer
	}
	want("unconfigured", false)
	b.do(200, "admin", "PUT", path, fields{"enabled": true})
	first := want("waiting", true)
	b.pass(time.Minute)
	b.restart()
	if diff := cmp.Diff(first, want("ready", true)); diff != "" {
		t.Errorf("the keys changed:\n%s", diff)
	}
	b.do(200, "admin", "PATCH", path, fields{"enabled": false})
	want("unconfigured", false)
}

func TestAnOrderedCertificateComesInTime(t *testing.T) {
	for name, c := range map[string]struct{ host, ends string }{
		"a host that can be checked": {"www.example.com", "active"},
		"a host that nobody has":     {"www.example.invalid", "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, catalogs.Documents())
			path := "/workspace/tls/certificates/" + b.made("/workspace/tls/certificates/request", fields{
				"name": "c", "common_name": c.host, "challenge": "http", "authority": "lets_encrypt", "alternative_names": []any{"api.example.com"},
			})
			for i, want := range []string{"pending", "challenge_verification", c.ends} {
				data := b.do(200, "admin", "GET", path, nil).data()
				if data["status"] != want {
					t.Errorf("after %d half minutes the status is %v, want %s", i, data["status"], want)
				}
				if issued := data["certificate"] != nil; issued != (want == "active") {
					t.Errorf("%s: certificate %v", want, data["certificate"])
				}
				b.pass(30 * time.Second)
				b.restart()
			}
			data := b.do(200, "admin", "PATCH", path, fields{"name": "renamed"}).data()
			if data["status"] != c.ends || data["managed"] != true {
				t.Errorf("renamed, it is %v", data)
			}
		})
	}
}

func TestACertificateIsRead(t *testing.T) {
	b := open(t, catalogs.Documents())
	certificate, key := certified(t, false)
	authority, _ := certified(t, true)
	_, other := certified(t, false)
	const path = "/workspace/tls/certificates"
	for name, c := range map[string]struct {
		status      int
		body        fields
		wantPointer string
	}{
		"with its key":                    {201, fields{"certificate": certificate, "private_key": key}, ""},
		"with another's key":              {400, fields{"certificate": certificate, "private_key": other}, "/private_key"},
		"without a key":                   {400, fields{"certificate": certificate}, "/private_key"},
		"no certificate":                  {400, fields{"certificate": "hello", "private_key": key}, "/certificate"},
		"a chain that does not fit":       {400, fields{"certificate": certificate + authority, "private_key": key}, "/certificate"},
		"an authority without its key":    {201, fields{"certificate": authority, "type": "trusted_ca_certificate"}, ""},
		"a host's certificate that signs": {400, fields{"certificate": certificate, "type": "trusted_ca_certificate"}, "/certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			b.t = t
			c.body["name"] = name
			g := b.do(c.status, "admin", "POST", path, c.body)
			if c.wantPointer != "" && !strings.Contains(string(g.raw), fmt.Sprintf(`"pointer":%q`, c.wantPointer)) {
				t.Errorf("answered %s, want a fault at %s", g.raw, c.wantPointer)
			}
			if c.status == 201 && (g.data()["status"] != "active" || g.data()["validity"] == nil || strings.Contains(string(g.raw), "PRIVATE KEY")) {
				t.Errorf("answered %s", g.raw)
			}
		})
	}
	b.t = t
	b.do(400, "admin", "POST", "/workspace/tls/crls", fields{"name": "l", "crl": certificate})
	if got := b.do(201, "admin", "POST", "/workspace/tls/crls", fields{"name": "l", "crl": revoked(t)}).data(); got["issuer"] != "CN=www.example.com" || got["last_update"] != "2023-11-14T22:13:20Z" {
		t.Errorf("a revocation list is told as %v", got)
	}
}

func TestASigningRequestTakesWhatWasSignedForIt(t *testing.T) {
	b := open(t, catalogs.Documents())
	g := b.post("/workspace/tls/csr", fields{
		"name": "c", "common_name": "www.example.com", "country": "BR", "state": "RS", "locality": "Porto Alegre",
		"organization": "O", "organization_unity": "U", "email": "a@example.com",
	})
	csr, _ := g.data()["csr"].(string)
	path := "/workspace/tls/certificates/" + text(g.data()["id"])
	if g.data()["status"] != "pending" {
		t.Errorf("it begins as %v", g.data()["status"])
	}
	stranger, _ := certified(t, false)
	b.do(400, "admin", "PATCH", path, fields{"certificate": stranger})
	if data := b.do(200, "admin", "PATCH", path, fields{"certificate": signed(t, csr)}).data(); data["status"] != "active" {
		t.Errorf("signed, it is %v", data)
	}
}

func TestAWorkloadHasOneCurrentDeployment(t *testing.T) {
	b := open(t, catalogs.Documents())
	app := number(b.made("/workspace/applications", fields{"name": "shop"}))
	at := "/workspace/workloads/" + b.made("/workspace/workloads", fields{"name": "w"}) + "/deployments"
	strategy := fields{"type": "default", "attributes": fields{"application": app}}
	b.post(at, fields{"name": "first", "strategy": strategy})
	b.post(at, fields{"name": "second", "strategy": strategy})
	b.post(at, fields{"name": "third", "strategy": strategy, "current": true})
	current := map[any]any{}
	for _, one := range b.do(200, "admin", "GET", at, nil).results() {
		current[one["name"]] = one["current"]
	}
	if diff := cmp.Diff(map[any]any{"first": false, "second": false, "third": true}, current); diff != "" {
		t.Error(diff)
	}
	b.do(400, "admin", "POST", at, fields{"name": "fourth", "strategy": fields{"type": "default", "attributes": fields{"application": 5}}})
}

func TestASecretKeyIsShownOnce(t *testing.T) {
	b := open(t, catalogs.Documents())
	g := b.post("/workspace/storage/credentials", fields{"name": "backup", "capabilities": []any{"readFiles"}})
	secret := text(g.data()["secret_key"])
	b.pass(time.Nanosecond)
	again := string(b.do(200, "admin", "GET", "/workspace/storage/credentials/"+text(g.data()["id"]), nil).raw) +
		string(b.do(200, "admin", "GET", "/workspace/storage/credentials", nil).raw)
	if len(secret) < 40 || strings.Contains(again, secret) {
		t.Errorf("secret %q, later %s", secret, again)
	}
}

func TestPurgesCanBeReadBack(t *testing.T) {
	b := open(t, catalogs.Documents())
	b.post("/workspace/purge/url", fields{"items": []any{"https://www.example.com/logo.png"}})
	b.restart()
	g := b.do(200, "", "GET", fmt.Sprintf("/_sandbox/purges?account=%d", company("admin")), nil)
	if want := `"items":["https://www.example.com/logo.png"],"layer":"cache","type":"url"`; !strings.Contains(string(g.raw), want) {
		t.Errorf("purges %s, want %s", g.raw, want)
	}
}

func TestAPartOfAnObjectCanBeAskedFor(t *testing.T) {
	b := open(t, catalogs.Documents())
	b.post("/workspace/storage/buckets", fields{"name": "assets", "workloads_access": "read_only"})
	bytes := []byte("\x00\x01binary\xff and more")
	const path = "/workspace/storage/buckets/assets/objects/a%2Fb.bin"
	b.do(202, "admin", "POST", path, bytes, with("Content-Type", "application/octet-stream"), with("Storage-Content-Type", "image/x-own"))
	g := b.do(200, "admin", "GET", path, nil)
	if string(g.raw) != string(bytes) || g.header.Get("Content-Type") != "image/x-own" || g.header.Get("Accept-Ranges") != "bytes" {
		t.Errorf("read %q with %v", g.raw, g.header)
	}
	part := b.do(http.StatusPartialContent, "admin", "GET", path, nil, with("Range", "bytes=2-7"))
	if string(part.raw) != "binary" || part.header.Get("Content-Range") != fmt.Sprintf("bytes 2-7/%d", len(bytes)) {
		t.Errorf("read %q of %s", part.raw, part.header.Get("Content-Range"))
	}
	b.do(http.StatusRequestedRangeNotSatisfiable, "admin", "GET", path, nil, with("Range", "bytes=999-"))
	b.do(http.StatusNotModified, "admin", "GET", path, nil, with("If-None-Match", g.header.Get("ETag")))
}
