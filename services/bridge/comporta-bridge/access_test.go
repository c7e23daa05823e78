package main

import (
	"testing"
)

func TestHeadersTakeVariablesAndLeaveOtherDollars(t *testing.T) {
	env := func(name string) (string, bool) { return " azionX\n", name == "TOKEN" }
	for given, want := range map[string]string{
		"Token ${TOKEN}": "Token azionX", "a$b": "a$b", "$TOKEN": "$TOKEN", "$$": "$$", "${": "${", "${}": "${}", "100%$": "100%$",
	} {
		if got, err := expand(given, env); err != nil || got != want {
			t.Errorf("%q became %q (%v), want %q", given, got, err, want)
		}
	}
	if _, err := expand("${NOBODY}", env); err == nil {
		t.Error("an unknown variable became nothing")
	}
}

func TestOnlyWebAddressesAreConfigured(t *testing.T) {
	for address, want := range map[string]bool{
		"https://build-mcp.example.com/mcp": true, "http://127.0.0.1:8102/mcp": true,
		"javascript:alert(1)": false, "file:///etc/passwd": false, "build-mcp.example.com/mcp": false, "https://": false, "": false,
	} {
		p := plan{addresses: list{"build=" + address}}
		if _, err := p.servers(); (err == nil) != want {
			t.Errorf("%q: %v", address, err)
		}
	}
}
