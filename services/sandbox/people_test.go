package sandbox

import (
	"net/http"
	"regexp"
	"testing"
)

func TestTokensHaveThePlatformsShapeAndSayThatTheyAreNone(t *testing.T) {
	tokens := Tokens()
	for _, name := range []string{"admin", "admin_2", "member", "reader", "outsider"} {
		if !regexp.MustCompile(`^azionFAKE[A-Za-z0-9]{31}$`).MatchString(tokens[name]) {
			t.Errorf("%s has %q", name, tokens[name])
		}
	}
	if len(tokens) != 5 {
		t.Errorf("there are %d tokens", len(tokens))
	}
}

func TestTheIdentityPathsSayWhoATokenIs(t *testing.T) {
	b := open(t, gardens())
	user := func(who string) map[string]any { return b.do(200, who, "GET", "/identity/user", nil).data() }
	account := func(who string) map[string]any { return b.do(200, who, "GET", "/account/account", nil).data() }
	if text(user("admin")["id"]) != text(user("admin_2")["id"]) || text(account("admin")["id"]) == text(account("admin_2")["id"]) {
		t.Error("admin and admin_2 must be one person in two companies")
	}
	for _, who := range []string{"member", "reader"} {
		if text(account(who)["id"]) != text(account("admin")["id"]) {
			t.Errorf("%s is not of the first company", who)
		}
	}
	if user("admin")["is_admin"] != true || user("member")["is_admin"] != false || user("reader")["is_read_only"] != true {
		t.Error("the flags are wrong")
	}
	for _, field := range []string{"id", "email", "first_name", "last_name"} {
		if text(user("outsider")[field]) == "" {
			t.Errorf("%s is missing", field)
		}
	}
	b.do(405, "admin", "POST", "/identity/user", map[string]any{})
	b.do(401, "", "GET", "/identity/user", nil)
}

func TestOnlyTheTokenSchemeOpensTheDoor(t *testing.T) {
	b := open(t, gardens())
	good := Tokens()["admin"]
	tests := []struct {
		name, header string
		status       int
	}{
		{"the token as the platform wants it", "Token " + good, 200},
		{"the scheme in another case", "token " + good, 200},
		{"as a bearer", "Bearer " + good, 401},
		{"without a scheme", good, 401},
		{"with something behind it", "Token " + good + "x", 401},
		{"with a space too many", "Token  " + good, 401},
		{"one that nobody has", "Token azion0000000000000000000000000000000000A", 401},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b.do(tt.status, "", "GET", "/workspace/gardens", nil, with("Authorization", tt.header))
		})
	}
	wantFault(t, b.do(401, "", "GET", "/workspace/gardens", nil), "10001", "")
	b.do(401, "", "GET", "/no/such/path", nil)
	twice := func(r *http.Request) { r.Header["Authorization"] = []string{"Token " + good, "Token " + good} }
	b.do(401, "", "GET", "/workspace/gardens", nil, twice)
}

func TestATokenIsRevokedAndRestoredAndStaysSoOverARestart(t *testing.T) {
	b := open(t, gardens())
	b.do(200, "", "PUT", "/_sandbox/tokens/member", map[string]any{"revoked": true})
	b.do(401, "member", "GET", "/identity/user", nil)
	b.do(200, "admin", "GET", "/identity/user", nil)
	b.restart()
	b.do(401, "member", "GET", "/identity/user", nil)
	b.do(200, "", "PUT", "/_sandbox/tokens/member", map[string]any{"revoked": false})
	b.do(200, "member", "GET", "/identity/user", nil)
	b.do(400, "", "PUT", "/_sandbox/tokens/nobody", map[string]any{"revoked": true})
	b.do(400, "", "PUT", "/_sandbox/tokens/member", map[string]any{})
}

func TestAReaderReadsAndDoesNotWrite(t *testing.T) {
	b := open(t, gardens())
	path := b.garden("Horta")
	b.do(200, "reader", "GET", path, nil)
	for _, method := range []string{"PUT", "PATCH", "DELETE"} {
		wantFault(t, b.do(403, "reader", method, path, map[string]any{"name": "x"}), "10003", "")
	}
	b.do(403, "reader", "POST", "/workspace/gardens", map[string]any{"name": "x"})
	b.do(403, "reader", "POST", path+"/clone", map[string]any{"name": "x"})
	if n := b.effects(""); n != 1 {
		t.Errorf("%d writes took effect, want the admin's own", n)
	}
}

func TestACompanysResourcesDoNotExistForAnother(t *testing.T) {
	b := open(t, gardens())
	path := b.garden("Horta")
	b.do(200, "member", "GET", path, nil)
	for _, who := range []string{"outsider", "admin_2"} {
		wantFault(t, b.do(404, who, "GET", path, nil), "10004", "")
		b.do(404, who, "PATCH", path, map[string]any{"name": "mine"})
		b.do(404, who, "DELETE", path, nil)
		b.do(404, who, "POST", path+"/clone", map[string]any{"name": "mine"})
		b.do(404, who, "GET", path+"/beds", nil)
		b.do(404, who, "POST", path+"/beds", map[string]any{"name": "mine"})
		if names := b.do(200, who, "GET", "/workspace/gardens", nil).names(); names != "" {
			t.Errorf("%s sees %s", who, names)
		}
	}
	b.crate()
	b.do(201, "outsider", "POST", "/workspace/crates", map[string]any{"name": "caixa", "access": "open"})
}
