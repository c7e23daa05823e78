package answer_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/catalog"
)

func TestACredentialInAnAddressIsMasked(t *testing.T) {
	tool := &catalog.Tool{Addresses: []string{"url", "data.outputs[].url"}}
	for address, want := range map[string]string{
		"https://logs.example.com/v1/in":                             "https://logs.example.com/v1/in",
		"https://user:hush@logs.example.com/in":                      "https://[redacted]@logs.example.com/in",
		"https://logs.example.com/in?token=hush&site=eu":             "https://logs.example.com/in?token=[redacted]&site=eu",
		"https://logs.example.com/v1/input/hush0hush1hush2hush3hush": "https://logs.example.com/v1/input/[redacted]",
		"https://a-very-long-name-of-a-host-no-42.example.com/in":    "https://a-very-long-name-of-a-host-no-42.example.com/in",
		"https://logs.example.com/a-word-that-is-long-but-no-key/x":  "https://logs.example.com/a-word-that-is-long-but-no-key/x",
		"no address at all": "no address at all",
	} {
		whole := map[string]any{"data": map[string]any{"outputs": []any{map[string]any{"url": address}}}}
		outputs := answer.Shape(tool, whole, answer.Page{})["data"].(map[string]any)["outputs"].([]any)
		if got := outputs[0].(map[string]any)["url"]; got != want {
			t.Errorf("%s is answered as %v, want %s", address, got, want)
		}
		args := map[string]any{"url": address}
		if diff := cmp.Diff(map[string]any{"url": want}, answer.MaskArguments(tool, args)); diff != "" {
			t.Errorf("%s as an argument:\n%s", address, diff)
		}
		if found := answer.StandIns(tool, map[string]any{"url": want}); (len(found) == 1) != strings.Contains(want, answer.Redacted) {
			t.Errorf("%s sent back: %v", want, found)
		}
	}
}
