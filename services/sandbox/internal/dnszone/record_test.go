package dnszone

import (
	"strings"
	"testing"
)

func TestAValueFitsItsType(t *testing.T) {
	for _, c := range []struct {
		kind, value string
		fits        bool
	}{
		{"A", "192.0.2.1", true}, {"A", "2001:db8::1", false}, {"A", "192.0.2.256", false}, {"A", "www.example.com", false},
		{"AAAA", "2001:db8::1", true}, {"AAAA", "192.0.2.1", false},
		{"CNAME", "www.example.com", true}, {"CNAME", "www.example.com.", true}, {"CNAME", "192.0.2.1", false}, {"CNAME", "a b", false},
		{"ANAME", "www.example.com", true}, {"ANAME", "192.0.2.1", false},
		{"MX", "10 mail.example.com", true}, {"MX", "mail.example.com", false}, {"MX", "70000 mail.example.com", false},
		{"NS", "ns1.example.com", true}, {"PTR", "host.example.com", true},
		{"SRV", "10 5 5060 sip.example.com", true}, {"SRV", "10 5 sip.example.com", false},
		{"CAA", `0 issue "letsencrypt.org"`, true}, {"CAA", "issue letsencrypt.org", false},
		{"DS", "12345 13 2 " + strings.Repeat("ab", 32), true}, {"DS", "12345 13", false},
		{"TXT", "v=spf1 include:example.com ~all", true}, {"TXT", `"quoted" and; (more) $`, true}, {"TXT", "São João 文", true},
		{"TXT", strings.Repeat("x", maxText+1), false}, {"TXT", "two\nlines", false},
		{"A", "192.0.2.1\n$INCLUDE /etc/passwd", false}, {"MX", "10 mail.example.com ; comment", false},
	} {
		if err := checkValue(c.kind, c.value); (err == nil) != c.fits {
			t.Errorf("%s %.60q: %v, fits %v", c.kind, c.value, err, c.fits)
		}
	}
}

func TestADelegationSignerIsThatOfARealKey(t *testing.T) {
	signer, err := delegationSigner("example.com")
	if err != nil {
		t.Fatal(err)
	}
	if digest, _ := signer["digest"].(string); len(digest) != 64 {
		t.Errorf("digest %q, want that of SHA-256", digest)
	}
	other, err := delegationSigner("example.com")
	if err != nil {
		t.Fatal(err)
	}
	if signer["digest"] == other["digest"] {
		t.Error("two zones have one key")
	}
}

func FuzzAnyValueIsFitOrNot(f *testing.F) {
	f.Add("MX", "10 mail.example.com")
	f.Fuzz(func(t *testing.T, kind, value string) {
		_ = checkValue(kind, value)
	})
}
