package mask_test

import (
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/telemetry/mask"
)

func TestText(t *testing.T) {
	pat := "azion" + strings.Repeat("aB3d5", 7)
	tests := []struct{ name, in, want string }{
		{"a personal token by itself", pat, "[redacted]"},
		{"a personal token inside a sentence", "no user for " + pat + ".", "no user for [redacted]."},
		{"a personal token with its scheme", "Authorization: Token " + pat, "Authorization: Token [redacted]"},
		{"a bearer token", `header "Bearer CANARY123.x_y-z=="`, `header "Bearer [redacted]"`},
		{"a bearer token in a URL", "x?a=Bearer%20CANARY123abc&b=1", "x?a=Bearer%20[redacted]&b=1"},
		{"a basic credential", "basic Q0FOQVJZMTIz", "basic [redacted]"},
		{"prose about tokens stays", "Token revocation failed for bearer credentials", "Token revocation failed for bearer credentials"},
		{"a cookie header", "Cookie: session=CANARY123; theme=dark", "Cookie: [redacted]"},
		{"a cookie being set", `{"Set-Cookie":["id=CANARY123; Path=/"]}`, `{"Set-Cookie":["[redacted]"]}`},
		{"a form", "grant_type=x&refresh_token=CANARY123&code_verifier=CANARY123&client_id=me", "grant_type=x&refresh_token=[redacted]&code_verifier=[redacted]&client_id=me"},
		{"an authorization code", "/cb?code=CANARY1234567890&state=s", "/cb?code=[redacted]&state=s"},
		{"a problem's code stays", "code=no_encontrado", "code=no_encontrado"},
		{"JSON with a password", `{"user":"me","password":"CANARY123"}`, `{"user":"me","password":"[redacted]"}`},
		{"JSON inside a JSON string", `"{\"password\":\"CANARY123\"}"`, `"{\"password\":\"[redacted]\"}"`},
		{"a JWT", "got eyJhbGciOiJub25lIn0.eyJzdWIiOiJDQU5BUlkifQ.c2ln here", "got [redacted] here"},
		{"a token of our own auth", "rt_01JH8W6C2QKZ.7.1893456000.CANARY123CANARY123 seen", "[redacted] seen"},
		{"a PEM key", "-----BEGIN EC PRIVATE KEY-----\nCANARY123\n-----END EC PRIVATE KEY-----\nrest", "[redacted]\nrest"},
		{"a PEM key that was cut", "key: -----BEGIN PRIVATE KEY-----\nCANARY", "key: [redacted]"},
		{"a password in a URL", "postgres://shop:CANARY@db.example.com/x and https://u@h", "postgres://[redacted]@db.example.com/x and https://[redacted]@h"},
		{"a password with an at sign in a URL", "amqp://u:CAN@ARY@h:5672", "amqp://[redacted]@h:5672"},
		{"credentials in a query", "https://h/p?sig=CANARY&se=2026&api_key=CANARY;X-Amz-Signature=CANARY&page=2", "https://h/p?sig=[redacted]&se=2026&api_key=[redacted];X-Amz-Signature=[redacted]&page=2"},
		{"other queries stay", "https://h/p?key=prices/2026.csv&assignature=1", "https://h/p?key=prices/2026.csv&assignature=[redacted]"},
		{"an address of a person stays", "mail ana@example.com", "mail ana@example.com"},
		{"SQL that makes a user", "CREATE USER a IDENTIFIED BY 'CAN''ARY' REQUIRE SSL", "CREATE USER a IDENTIFIED BY '[redacted]' REQUIRE SSL"},
		{"SQL with a plugin", "ALTER USER a IDENTIFIED WITH sha256_password AS \"CANARY\"", "ALTER USER a IDENTIFIED WITH sha256_password AS '[redacted]'"},
		{"SQL with a password", "create role a login password 'CANARY'; select 'kept'", "create role a login password '[redacted]'; select 'kept'"},
		{"SQL that sets a password", "SET PASSWORD FOR 'a'@'h' = 'CANARY'", "SET PASSWORD FOR 'a'@'h' = '[redacted]'"},
		{"SQL that was cut", "UPDATE u SET password = 'CANARY and so", "UPDATE u SET password = '[redacted]'"},
		{"prose about a password stays", "change the password of 'shop'", "change the password of 'shop'"},
		{"a host name stays", "app_01.azion.example.com.br answers 200", "app_01.azion.example.com.br answers 200"},
	}
	m, err := mask.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := m.Text(tt.in); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			if got := m.Text(tt.want); got != tt.want {
				t.Errorf("masking again changes it: %q", got)
			}
		})
	}
}

func TestFurtherPatterns(t *testing.T) {
	m, err := mask.New(`acme-[0-9]{6}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Text("token acme-123456"); got != "token [redacted]" {
		t.Errorf("got %q", got)
	}
	if _, err := mask.New(`(`); err == nil {
		t.Error("a pattern that is none was accepted")
	}
}

func TestName(t *testing.T) {
	for name, want := range map[string]bool{
		"password": true, "Password": true, "privateKey": true, "Private-Key": true, "origin_private_key": true,
		"Authorization": true, "apiKey": true, "access_token": true, "personalToken": true, "Set-Cookie": true,
		"name": false, "token_count": false, "secretary": false, "path": false, "key": false, "tokens": false,
	} {
		if got := mask.Name(name); got != want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

func FuzzText(f *testing.F) {
	m, err := mask.New()
	if err != nil {
		f.Fatal(err)
	}
	f.Add("before ", " after")
	f.Add(`{"a":"`, `"}`)
	f.Fuzz(func(t *testing.T, before, after string) {
		token := "azion" + strings.Repeat("Zz9", 11) + "Zz"
		if strings.Contains(m.Text(before+token+after), token) {
			t.Errorf("shown between %q and %q", before, after)
		}
	})
}
