package platform

import (
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

func TestSecretsThatThePlatformQuotesAreTakenOut(t *testing.T) {
	long := "-----BEGIN PRIVATE KEY-----\nhushhushhushhushhushhush\n-----END PRIVATE KEY-----"
	r := Request{
		Tool: &catalog.Tool{Secrets: []string{"secret_key", "outputs[].headers"}},
		Args: map[string]any{"name": "kept", "secret_key": long, "outputs": []any{map[string]any{"headers": map[string]any{"X": "hush"}}}},
	}
	for name, c := range map[string]struct {
		status     int
		body, want string
	}{
		"whole, in JSON":                     {400, `{"detail":"bad -----BEGIN PRIVATE KEY-----\nhushhushhushhushhushhush\n-----END PRIVATE KEY-----!"}`, `{"detail":"bad [redacted]!"}`},
		"its beginning":                      {422, "'-----BEGIN PRIVATE KEY-----\nhushhu...' is wrong", "'[redacted]...' is wrong"},
		"a short one, in an error":           {400, "hush, hush and kept", "[redacted], [redacted] and kept"},
		"a short one, in a good answer":      {200, `{"comment":"hush"}`, `{"comment":"hush"}`},
		"a long one, in a good answer":       {200, `{"comment":"` + strings.ReplaceAll(long, "\n", `\n`) + `"}`, `{"comment":"[redacted]"}`},
		"what was no secret":                 {400, "kept", "kept"},
		"twice, without anything in between": {500, "hushhush", "[redacted][redacted]"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(scrubArguments([]byte(c.body), c.status, r)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
