package platform

import (
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

func TestAnEchoedCredentialDoesNotComeBack(t *testing.T) {
	const token = "azionCANARY0000000000000000000000000000000"
	stub := newStub(t, answerJSON(200, `{"data":{"name":"x","note":"you sent Token `+token+`"}}`))
	client, _ := clientOf(t, stub.URL)
	request := creation("x")
	request.Authorization = identity.Secret("Token " + token)
	answer, err := client.Do(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	data, _ := answer.Value["data"].(map[string]any)
	if note, _ := data["note"].(string); strings.Contains(note, token) || !strings.HasPrefix(note, "you sent Token [redacted") {
		t.Errorf("note %q", note)
	}
}

func TestScrubLeavesInnocentTextAlone(t *testing.T) {
	for name, c := range map[string]struct{ body, authorization, want string }{
		"no credential":                {"a b c", "", "a b c"},
		"one too short to be told":     {"a1 a1", "Token a1", "a1 a1"},
		"one that is not there":        {"hello", "Token 12345678", "hello"},
		"one without a scheme":         {"k=12345678", "12345678", "k=[redacted]"},
		"one that JSON has to escape":  {`{"e":"Token a\"b\"c-1234"}`, `Token a"b"c-1234`, `{"e":"Token [redacted]"}`},
		"one that comes several times": {"12345678 12345678", "Token 12345678", "[redacted] [redacted]"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(Scrub([]byte(c.body), identity.Secret(c.authorization))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
