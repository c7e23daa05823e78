package auth

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestNothingOfASignInWithAnAccountIsLeft is the bug bank's B79 for the issuer's
// secrets: ours, its codes and its tokens, on the good way and on each that fails.
func TestNothingOfASignInWithAnAccountIsLeft(t *testing.T) {
	log := captureStderr(t)
	w, provider := newWorld(t), newIssuer(t)
	auth := w.withOAuth(func(c *Config) {
		c.OIDC.Issuer, c.OIDC.ClientID, c.OIDC.ClientSecret = provider.URL, "comporta", "s3cret"
		c.Telemetry.LogLevel = "debug"
	})
	secrets := map[string]string{"the client's secret": "s3cret", "an ID token": "eyJhbGciOiJSUzI1NiI", "a forged code": "CANARYcode"}
	for way, change := range map[string]func(map[string]any){
		"good":                     nil,
		"for another client":       func(claims map[string]any) { claims["aud"] = "another" },
		"with another nonce":       func(claims map[string]any) { claims["nonce"] = "CANARYnonce" },
		"of another issuer":        func(claims map[string]any) { claims["iss"] = "https://other.example" },
		"of nobody the area knows": func(claims map[string]any) { claims["sub"] = "" },
	} {
		provider.change = change
		b := newBrowser(t, auth.HTTP)
		path := b.authorize(request(b.client()))
		there := b.do(http.MethodGet, "/sign-in/account?"+url.Values{"next": {path}}.Encode(), nil).Header.Get("Location")
		back := b.do(http.MethodGet, there, nil).Header.Get("Location")
		params := query(t, back)
		secrets["the code "+way] = params.Get("code")
		b.do(http.MethodGet, back, nil)
		b.do(http.MethodGet, back, nil) // used up
		b.do(http.MethodGet, "/sign-in/callback?code=CANARYcode&state="+params.Get("state"), nil)
		for _, cookie := range b.http.Jar.Cookies(mustParse(t, auth.HTTP)) {
			secrets["the cookie "+cookie.Name+" "+way] = cookie.Value
		}
	}
	if err := auth.stop(); err != nil {
		t.Fatal(err)
	}
	w.stopNATS()
	said := log()
	if !strings.Contains(said, "a sign-in with an account failed") {
		t.Errorf("no failure was logged, so that this test shows nothing:\n%s", said)
	}
	all := said + files(t, w.natsDir)
	for what, secret := range secrets {
		if secret == "" || strings.Contains(all, secret) {
			t.Errorf("%s %q is left:\n%s", what, secret, around(all, secret))
		}
	}
}

func query(t *testing.T, address string) url.Values { return mustParse(t, address).Query() }

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
