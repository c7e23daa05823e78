package client

import "testing"

var rules = Rules{Schemes: []string{"cursor", "vscode"}}

func TestWhichRedirectURIsMayBe(t *testing.T) {
	for _, c := range []struct {
		name, uri string
		ok        bool
	}{
		{"https", "https://agent.example/callback", true},
		{"https with a query", "https://agent.example/callback?from=comporta", true},
		{"loopback", "http://127.0.0.1:33418/callback", true},
		{"loopback without a port", "http://127.0.0.1/callback", true},
		{"localhost", "http://localhost:3000/callback", true},
		{"loopback of IPv6", "http://[::1]:3000/callback", true},
		{"an allowed private scheme", "cursor://anysphere.cursor-retrieval/oauth/callback", true},
		{"a private scheme that nobody allowed", "evil://callback", false},
		{"http elsewhere", "http://agent.example/callback", false},
		{"a host that only begins like loopback", "http://127.0.0.1.evil.example/callback", false},
		{"localhost in front of another host", "http://localhost.evil.example/callback", false},
		{"localhost as a user name", "http://localhost@evil.example/callback", false},
		{"a script", "javascript:alert(1)", false},
		{"a script in capitals", "JavaScript:alert(1)", false},
		{"data", "data:text/html,x", false},
		{"a fragment", "https://agent.example/callback#x", false},
		{"an empty fragment", "https://agent.example/callback#", false},
		{"a wildcard", "https://*.example/callback", false},
		{"a backslash", `https://agent.example\@evil.example/`, false},
		{"a blank", "https://agent.example/a b", false},
		{"a line break", "https://agent.example/\r\nLocation: x", false},
		{"relative", "/callback", false},
		{"without a scheme", "//agent.example/callback", false},
		{"nothing", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := rules.Check(c.uri); (err == nil) != c.ok {
				t.Errorf("Check(%q): %v", c.uri, err)
			}
		})
	}
}

func TestARedirectIsComparedExactlyButForALoopbackPort(t *testing.T) {
	c := &Client{RedirectURIs: []string{"http://127.0.0.1:33418/callback", "http://localhost/cb", "https://agent.example/callback", "cursor://callback"}}
	for _, test := range []struct {
		name, uri string
		ok        bool
	}{
		{"as registered", "http://127.0.0.1:33418/callback", true},
		{"another port", "http://127.0.0.1:51004/callback", true},
		{"no port", "http://127.0.0.1/callback", true},
		{"a port for localhost", "http://localhost:49567/cb", true},
		{"https as registered", "https://agent.example/callback", true},
		{"a private scheme as registered", "cursor://callback", true},
		{"another loopback name", "http://localhost:33418/callback", false},
		{"another path", "http://127.0.0.1:1/other", false},
		{"a slash more", "http://127.0.0.1:33418/callback/", false},
		{"a query more", "http://127.0.0.1:33418/callback?x=1", false},
		{"https on loopback", "https://127.0.0.1:1/callback", false},
		{"a host that only begins alike", "http://127.0.0.1.evil.example/callback", false},
		{"a port for https", "https://agent.example:444/callback", false},
		{"https in capitals", "https://AGENT.example/callback", false},
		{"a path below", "https://agent.example/callback/../evil", false},
		{"none, where there are several", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, ok := c.Redirect(test.uri, rules); ok != test.ok {
				t.Errorf("%q is taken: %v", test.uri, ok)
			}
		})
	}
	only := &Client{RedirectURIs: []string{"https://agent.example/callback"}}
	if uri, ok := only.Redirect("", rules); !ok || uri != "https://agent.example/callback" {
		t.Errorf("the only one is not the default: %q %v", uri, ok)
	}
}
