package host

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/telemetry/mask"
)

func TestNumbersTooLongForExactArithmeticAreRefusedBeforeIt(t *testing.T) {
	long := strings.Repeat("9", maxNumber+1)
	for name, c := range map[string]struct {
		raw string
		err error
	}{
		"at the top":          {`{"page":` + long + `}`, errLongNumber},
		"deep in a list":      {`{"a":{"b":[1,[` + long + `]]}}`, errLongNumber},
		"in the exponent":     {`{"a":1e` + long + `}`, errLongNumber},
		"a long text is fine": {`{"a":"` + long + `"}`, nil},
		"a long id is fine":   {`{"a":9223372036854775807}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := decodeArguments(json.RawMessage(c.raw)); !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v", err, c.err)
			}
		})
	}
}

func TestABodyThatIsNoTextIsNoMessage(t *testing.T) {
	good := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for name, c := range map[string]struct {
		body  string
		fault error
	}{
		"a good message":         {good, nil},
		"bytes that are no text": {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"` + "\xff\xfe" + `"}}`, errNotJSON},
		"half a character":       {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"a\ud83d"}}`, errHalf},
		"the other half":         {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"\ude00\ud83d"}}`, errHalf},
		"a half and a letter":    {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"\ud83d\u0041"}}`, errHalf},
		"half a name":            {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"\ud83d":1}}`, errHalf},
		"both halves":            {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"\ud83d\ude00\u00e9"}}`, nil},
		"a backslash before u":   {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"\\ud83d"}}`, nil},
		"an empty method":        {`{"jsonrpc":"2.0","id":1,"method":""}`, errNotMessage},
	} {
		t.Run(name, func(t *testing.T) {
			if m := parseMessage([]byte(c.body)); !errors.Is(m.fault, c.fault) {
				t.Errorf("fault %v, want %v", m.fault, c.fault)
			}
		})
	}
}

func TestACredentialInAnOrdinaryArgumentIsSealed(t *testing.T) {
	const token = "azionCANARY0000000000000000000000000000000"
	public := map[string]any{
		"name": "shop", "domains": []any{"a.example", "x " + token + " y"}, "note": token,
		"statements": []any{"CREATE USER a IDENTIFIED BY 'x'"}, "query": "SELECT 1 WHERE a = 'x'",
	}
	secret := map[string]any{}
	masker, err := mask.New()
	if err != nil {
		t.Fatal(err)
	}
	(&Gate{masker: masker}).sealCredentials(public, secret, identity.Secret("Token "+token))
	if len(public) != 2 || public["name"] != "shop" || public["query"] == nil || len(secret) != 3 {
		t.Errorf("public %v, secret has %d", public, len(secret))
	}
}

func FuzzHalfCharacter(f *testing.F) {
	for _, seed := range []string{`"\ud83d\ude00"`, `"\ud83d"`, `"\\ud83d"`, `{"\ude00":"\ud83d\u0041"}`, `"é\u00e9"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || !json.Valid([]byte(text)) || strings.ContainsRune(text, '\uFFFD') || strings.Contains(strings.ToLower(text), `\ufffd`) {
			return
		}
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			return
		}
		again, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		lost, found := strings.ContainsRune(string(again), '\uFFFD'), halfCharacter([]byte(text))
		if _, one := value.(string); lost && !found || one && found && !lost {
			t.Errorf("%s: found %t, lost %t", text, found, lost)
		}
	})
}
