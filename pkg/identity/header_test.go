package identity

import (
	"errors"
	"strings"
	"testing"
)

func TestParseHeader(t *testing.T) {
	long := strings.Repeat("a", maxCredential)
	tests := []struct {
		name   string
		values []string
		want   Credential
		err    error
	}{
		{"no header", nil, Credential{}, ErrNone},
		{"a personal token", []string{"Token azion123"}, Credential{Token, "azion123"}, nil},
		{"an access token", []string{"Bearer a.b-c_d~e+f/g="}, Credential{Bearer, "a.b-c_d~e+f/g="}, nil},
		{"the scheme in lower case", []string{"token azion123"}, Credential{Token, "azion123"}, nil},
		{"the scheme in upper case", []string{"BEARER x"}, Credential{Bearer, "x"}, nil},
		{"blanks around", []string{" \tToken \t azion123 \t "}, Credential{Token, "azion123"}, nil},
		{"a credential that is not of ASCII is for auth to judge", []string{"Token ação"}, Credential{Token, "ação"}, nil},
		{"the longest credential", []string{"Token " + long}, Credential{Token, Secret(long)}, nil},
		{"a longer one", []string{"Token " + long + "a"}, Credential{}, ErrMalformed},
		{"an empty header", []string{""}, Credential{}, ErrMalformed},
		{"blanks only", []string{" \t "}, Credential{}, ErrMalformed},
		{"a scheme without a credential", []string{"Token"}, Credential{}, ErrMalformed},
		{"a scheme with a blank after it", []string{"Bearer "}, Credential{}, ErrMalformed},
		{"a credential without a scheme", []string{"azion123"}, Credential{}, ErrMalformed},
		{"another scheme", []string{"Basic dXNlcjpwYXNz"}, Credential{}, ErrMalformed},
		{"a scheme that begins like ours", []string{"Tokens x"}, Credential{}, ErrMalformed},
		{"a scheme with a letter that folds to ASCII", []string{"To\u212aen x"}, Credential{}, ErrMalformed},
		{"a tab instead of the blank", []string{"Token\tx"}, Credential{}, ErrMalformed},
		{"a colon after the scheme", []string{"Token: x"}, Credential{}, ErrMalformed},
		{"two credentials", []string{"Token a b"}, Credential{}, ErrMalformed},
		{"a newline inside", []string{"Token a\nb"}, Credential{}, ErrMalformed},
		{"a newline at the end", []string{"Token a\n"}, Credential{}, ErrMalformed},
		{"a zero byte inside", []string{"Token a\x00b"}, Credential{}, ErrMalformed},
		{"a DEL inside", []string{"Token a\x7fb"}, Credential{}, ErrMalformed},
		{"a C1 control character inside", []string{"Token a\u0085b"}, Credential{}, ErrMalformed},
		{"two headers", []string{"Token a", "Token b"}, Credential{}, ErrMalformed},
		{"two equal headers", []string{"Token a", "Token a"}, Credential{}, ErrMalformed},
		{"two headers, one of them empty", []string{"Token a", ""}, Credential{}, ErrMalformed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := ParseHeader(test.values)
			if got != test.want || !errors.Is(err, test.err) {
				t.Errorf("got %s %q, %v; want %s %q, %v", got.Scheme, string(got.Value), err, test.want.Scheme, string(test.want.Value), test.err)
			}
		})
	}
}

func FuzzParseHeader(f *testing.F) {
	for _, seed := range []string{"", "Token azion123", "bearer  x ", "Token a b", "Basic x", "Token\tx", "Token \x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		cred, err := ParseHeader([]string{header})
		if err != nil {
			if cred != (Credential{}) {
				t.Errorf("an error beside a credential: %q", header)
			}
			if len(header) > 12 && strings.Contains(err.Error(), header) {
				t.Errorf("the error holds the header: %v", err)
			}
			return
		}
		value := string(cred.Value)
		if value == "" || !strings.Contains(header, value) || strings.ContainsAny(value, " \t\r\n\x00\x7f") {
			t.Errorf("%q gave %q", header, value)
		}
		again, err := ParseHeader([]string{string(cred.Scheme) + " " + value})
		if err != nil || again != cred {
			t.Errorf("what was read is not read again: %q", header)
		}
	})
}
