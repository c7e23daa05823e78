package host

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/quota"
)

func TestPingsAreCountedByAddressInAnySecond(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := newPings(quota.Limit{Count: 3, Window: time.Second}, func() time.Time { return now })
	take := func(address string, want bool) {
		t.Helper()
		if got := p.take(address); got != want {
			t.Errorf("at %s: %v, want %v", now.Format("05.000"), got, want)
		}
	}
	take("192.0.2.1", true)
	now = now.Add(900 * time.Millisecond)
	take("192.0.2.1", true)
	take("192.0.2.1", true)
	take("192.0.2.1", false)
	take("192.0.2.2", true)
	now = now.Add(100 * time.Millisecond) // the first one is a second old
	take("192.0.2.1", true)
	take("192.0.2.1", false)
	now = now.Add(900 * time.Millisecond)
	take("192.0.2.1", true) // the two of 0.9 s are gone, that of 1.0 s is not
	take("192.0.2.1", true)
	take("192.0.2.1", false)
	for range 3 {
		take("2001:db8:1:1::1", true)
	}
	take("2001:db8:1:1:ffff::9", false) // one customer's network
	take("2001:db8:1:2::1", true)
}

func TestAFloodOfAddressesTakesBoundedMemory(t *testing.T) {
	now := time.Now()
	p := newPings(quota.Limit{Count: 1, Window: time.Second}, func() time.Time { return now })
	refused := 0
	for i := range maxPingers + 100 {
		if !p.take(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}).String()) {
			refused++
		}
	}
	if refused != 100 || len(p.times) > maxPingers {
		t.Errorf("%d refused, %d kept", refused, len(p.times))
	}
	now = now.Add(2 * time.Second)
	if !p.take("192.0.2.1") || len(p.times) != 1 {
		t.Errorf("nothing was forgotten: %d kept", len(p.times))
	}
}

func TestAPropertyLeavesASchemaInOrder(t *testing.T) {
	got, err := withoutProperty(json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"empresa_id":{"type":"integer"},"a":{"x":{"empresa_id":1}}},"required":["z"]}`), "empresa_id")
	want := `{"type":"object","properties":{"z":{"type":"string"},"a":{"x":{"empresa_id":1}}},"required":["z"]}`
	if err != nil || string(got) != want {
		t.Errorf("%s %v", got, err)
	}
	if _, err := withoutProperty(json.RawMessage(`["empresa_id"]`), "empresa_id"); err == nil {
		t.Error("a list is no schema")
	}
}

func TestRFC8414PutsTheIssuersPathBehind(t *testing.T) {
	for issuer, want := range map[string]string{
		"https://auth.example.com":       "http://auth:8080/.well-known/oauth-authorization-server",
		"https://auth.example.com/":      "http://auth:8080/.well-known/oauth-authorization-server",
		"https://example.com/auth/realm": "http://auth:8080/.well-known/oauth-authorization-server/auth/realm",
	} {
		if got := metadataURL("http://auth:8080", issuer); got != want {
			t.Errorf("%s: %s", issuer, got)
		}
	}
}

func TestTheConfigurationSaysAllThatIsWrong(t *testing.T) {
	good := Defaults()
	good.AuthURL = "https://auth.example.com"
	if err := good.Validate(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	bad := Config{
		Listen: "8080", PublicURL: "ftp://x", AuthURL: "auth", TrustedProxies: []string{"10"}, AllowedOrigins: []string{"example.com"},
		TLS: TLSFiles{Cert: "c"}, ResourceScheme: "A B", Limits: map[string]quota.Limit{"calls": {Count: -1}},
	}
	faults, ok := bad.Validate().(interface{ Unwrap() []error })
	if !ok || len(faults.Unwrap()) < 9 {
		t.Errorf("%v", bad.Validate())
	}
}

func TestOneOfTwoCallsWithTheSameIDIsNotGuessed(t *testing.T) {
	var f inflight
	key := callKey{"link", "7"}
	first, endFirst := f.begin(t.Context(), key)
	second, endSecond := f.begin(t.Context(), key)
	if f.cancel(key) || first.Err() != nil || second.Err() != nil {
		t.Error("one of two was cancelled")
	}
	endFirst()
	if !f.cancel(key) || second.Err() == nil {
		t.Error("the only one was not cancelled")
	}
	endSecond()
	if len(f.calls) != 0 || f.cancel(key) {
		t.Errorf("%d keys are left", len(f.calls))
	}
}

func FuzzParseMessage(f *testing.F) {
	for _, seed := range []string{``, `{}`, `[]`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping","_meta":{"progressToken":1}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"x","params":[1]}`, `{"jsonrpc":"2.0","id":{},"method":1}`, `{"jsonrpc":"2.0","result":null}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		m := parseMessage(body)
		_ = m.toolName()
		_ = m.wellFormed(http.Header{})
		for _, shape := range methods {
			_ = shape.checkParams(m.params)
		}
		if m.fault != nil || m.batch || m.method == "" {
			return
		}
		again := parseMessage(m.canonical())
		if again.fault != nil || again.method != m.method || string(again.id) != string(m.id) && fmt.Sprint(again.id) != fmt.Sprint(m.id) {
			t.Errorf("%s became %s", body, m.canonical())
		}
	})
}

func FuzzParseAccept(f *testing.F) {
	f.Add("text/event-stream;q=0.9, application/json")
	f.Add("*/*;q=0,application/*")
	f.Fuzz(func(t *testing.T, accept string) { _ = parseAccept([]string{accept}) })
}
