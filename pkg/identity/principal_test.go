package identity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestASecretIsNeverShown(t *testing.T) {
	const canary = "CANARY1234567890"
	cred := Credential{Token, canary}
	company := Company{ID: 1, Name: "Acme", Authorization: canary}
	principal := &Principal{Companies: []Company{company}}
	var shown bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%c", "%08.3f", "%U"} {
		for _, value := range []any{cred.Value, cred, &cred, company, principal, []Secret{canary}, map[string]Secret{"a": canary}} {
			fmt.Fprintf(&shown, verb+"\n", value)
		}
	}
	for _, handler := range []slog.Handler{
		slog.NewTextHandler(&shown, &slog.HandlerOptions{Level: slog.LevelDebug}),
		slog.NewJSONHandler(&shown, &slog.HandlerOptions{Level: slog.LevelDebug}),
	} {
		slog.New(handler).Debug("call", "cred", cred, "value", cred.Value, "principal", principal, slog.Group("g", "s", cred.Value))
	}
	if err := json.NewEncoder(&shown).Encode(principal); err != nil {
		t.Fatal(err)
	}
	shown.WriteString(fmt.Errorf("refused: %w", &Refused{Kind: RefusedToken}).Error())
	for _, form := range []string{canary, fmt.Sprintf("%x", canary), fmt.Sprintf("%X", canary), "CANARY"} {
		if strings.Contains(shown.String(), form) {
			t.Errorf("%q is shown:\n%s", form, shown.String())
		}
	}
	if !strings.Contains(shown.String(), redacted) {
		t.Error("nothing was shown at all")
	}
}

func TestAPrincipalTouchesOnlyWhatItsScopeNames(t *testing.T) {
	p := &Principal{Scope: Scope{Resources: map[string]Resources{
		"application": {IDs: []string{"1", "2"}},
		"workload":    {All: true},
		"bucket":      {},
	}}}
	tests := []struct {
		kind, id string
		want     bool
	}{
		{"application", "1", true}, {"application", "3", false},
		{"workload", "9", true}, {"bucket", "b", false}, {"zone", "5", true},
	}
	for _, test := range tests {
		if got := p.MayTouch(test.kind, test.id); got != test.want {
			t.Errorf("%s %s: %v, want %v", test.kind, test.id, got, test.want)
		}
	}
}
