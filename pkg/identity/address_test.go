package identity

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestForwardedAddressesCountOnlyFromTrustedProxies(t *testing.T) {
	trusted, err := ParseProxies([]string{"10.0.0.0/8", "fd00::/8"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ peer, forwarded, want string }{
		"nobody forwarded":               {"192.0.2.1:5", "", "192.0.2.1"},
		"a stranger's header":            {"192.0.2.1:5", "1.2.3.4", "192.0.2.1"},
		"our proxy's header":             {"10.1.1.1:5", "198.51.100.7", "198.51.100.7"},
		"two of our proxies":             {"10.1.1.1:5", "198.51.100.7, 10.2.2.2", "198.51.100.7"},
		"a client that wrote one too":    {"10.1.1.1:5", "6.6.6.6, 198.51.100.7, 10.2.2.2", "198.51.100.7"},
		"nonsense before a good one":     {"10.1.1.1:5", "x, 198.51.100.7", "198.51.100.7"},
		"nonsense only":                  {"10.1.1.1:5", "x", "10.1.1.1"},
		"proxies only":                   {"10.1.1.1:5", "10.3.3.3", "10.3.3.3"},
		"a mapped address":               {"[::ffff:10.1.1.1]:5", "2001:db8::1", "2001:db8::1"},
		"an address that cannot be read": {"pipe", "1.2.3.4", "pipe"},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
			r.RemoteAddr = c.peer
			if c.forwarded != "" {
				r.Header.Set("X-Forwarded-For", c.forwarded)
			}
			if got := trusted.Address(r); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
