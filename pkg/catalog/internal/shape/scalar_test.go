package shape

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

const scalars = `
Top:
  type: object
  properties:
    id: {type: integer, format: int64}
    small: {type: integer, format: int32}
    count: {type: integer, minimum: 1, maximum: 100}
    big: {type: integer}
    ratio: {type: number, exclusiveMinimum: 0, multipleOf: 0.1}
    active: {type: boolean}
    name: {type: string, minLength: 2, maxLength: 5}
    code: {type: string, pattern: '^[a-z]+$'}
    odd: {type: string, pattern: '^(?!x)'}
    kind: {type: string, enum: [alpha, beta, gamma]}
    level: {type: integer, enum: [1, 2]}
    at: {type: string, format: date-time}
    mail: {type: string, format: email}
    note: {type: [string, 'null']}
    free: {}
`

func TestLosslessFormsAreAcceptedAndNothingElse(t *testing.T) {
	s := read(t, In, scalars)
	for _, c := range []struct{ name, value, clean, wrong string }{
		{"an integer stays", `{"id":7}`, `{"id":7}`, ""},
		{"a quoted integer becomes one", `{"id":"5812"}`, `{"id":5812}`, ""},
		{"2.0 is an integer", `{"id":2.0}`, `{"id":2}`, ""},
		{"1.0e3 is an integer, written out", `{"id":1.0e3}`, `{"id":1000}`, ""},
		{"2.5 is none", `{"id":2.5}`, "", "id: must be an integer, not the number 2.5"},
		{"a quoted 2.0 is refused", `{"id":"2.0"}`, "", `id: must be an integer, not the text "2.0"`},
		{"a unit is refused", `{"id":"12px"}`, "", `id: must be an integer, not the text "12px"`},
		{"a quoted exponent is refused", `{"id":"1e3"}`, "", `id: must be an integer, not the text "1e3"`},
		{"an empty text is no number", `{"id":""}`, "", `id: must be an integer, not the text ""`},
		{"spaces are refused", `{"id":" 7 "}`, "", `id: must be an integer, not the text " 7 "`},
		{"leading zeros would be lost", `{"id":"007"}`, "", `id: must be an integer, not the text "007"`},
		{"true is no integer", `{"id":true}`, "", "id: must be an integer, not true"},
		{"2^53+1 keeps every digit", `{"id":9007199254740993}`, `{"id":9007199254740993}`, ""},
		{"quoted, it does too", `{"id":"9007199254740993"}`, `{"id":9007199254740993}`, ""},
		{"the largest 64-bit integer fits", `{"id":9223372036854775807}`, `{"id":9223372036854775807}`, ""},
		{"one more does not", `{"id":9223372036854775808}`, "", "id: must be an integer of 64 bits"},
		{"an int32 has 32 bits", `{"small":2147483648}`, "", "small: must be an integer of 32 bits"},
		{"without a format any size is exact", `{"big":123456789012345678901234567890}`, `{"big":123456789012345678901234567890}`, ""},
		{"an absurd exponent costs nothing", `{"big":1e999999999}`, "", "big: must be an integer, not the number 1e999999999"},
		{"minus zero is zero", `{"id":-0}`, `{"id":0}`, ""},
		{"below the minimum", `{"count":0}`, "", "count: must be at least 1"},
		{"above the maximum", `{"count":101}`, "", "count: must be at most 100"},
		{"a decimal step is a decimal step", `{"ratio":0.3}`, `{"ratio":0.3}`, ""},
		{"off the step", `{"ratio":0.35}`, "", "ratio: must be a multiple of 0.1"},
		{"an exclusive limit", `{"ratio":0}`, "", "ratio: must be more than 0"},
		{"a number loses its exponent", `{"ratio":2e-1}`, `{"ratio":0.2}`, ""},
		{"a quoted number becomes one", `{"ratio":"0.5"}`, `{"ratio":0.5}`, ""},
		{"a quoted boolean becomes one", `{"active":"true"}`, `{"active":true}`, ""},
		{"True is none", `{"active":"True"}`, "", `active: must be true or false, not the text "True"`},
		{"1 is none", `{"active":1}`, "", "active: must be true or false, not the number 1"},
		{"a text that looks like a number stays a text", `{"name":"123"}`, `{"name":"123"}`, ""},
		{"a number is no text", `{"name":123}`, "", `name: must be a text, not the number 123; put it in quotes: "123"`},
		{"characters are counted, not bytes", `{"name":"ããããã"}`, `{"name":"ããããã"}`, ""},
		{"too short", `{"name":"a"}`, "", "name: must have at least 2 characters, has 1"},
		{"too long", `{"name":"abcdef"}`, "", "name: must have at most 5 characters, has 6"},
		{"a pattern", `{"code":"A1"}`, "", "code: must match the pattern ^[a-z]+$"},
		{"a pattern that Go cannot say is left to the platform", `{"odd":"x"}`, `{"odd":"x"}`, ""},
		{"a wrong word gets the nearest one", `{"kind":"Betta"}`, "", `kind: must be one of "alpha", "beta", "gamma"; did you mean "beta"?`},
		{"an enum of integers takes a quoted one", `{"level":"2"}`, `{"level":2}`, ""},
		{"and 2.0", `{"level":2.0}`, `{"level":2}`, ""},
		{"a time", `{"at":"2025-01-31T12:00:00.5Z"}`, `{"at":"2025-01-31T12:00:00.5Z"}`, ""},
		{"no time", `{"at":"yesterday"}`, "", "at: must be a time such as 2025-01-31T12:00:00Z"},
		{"no address", `{"mail":"A <a@b.c>"}`, "", "mail: must be an e-mail address"},
		{"null is absent", `{"id":null,"name":null}`, `{}`, ""},
		{"null stays where the document has it", `{"note":null}`, `{"note":null}`, ""},
		{"a free value is kept exactly", `{"free":{"a":[9007199254740993]}}`, `{"free":{"a":[9007199254740993]}}`, ""},
		{"a misspelt field is named", `{"nmae":"ab"}`, "", `nmae: unknown argument; did you mean "name"?`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.wrong != "" {
				expect(t, s, c.value, "", c.wrong)
				return
			}
			expect(t, s, c.value, c.clean)
		})
	}
}

func TestGoNumbersCountOnlyAsFarAsTheyAreExact(t *testing.T) {
	s := read(t, In, scalars)
	for _, c := range []struct {
		name  string
		value any
		want  string // "": refused
	}{
		{"an int", 7, "7"},
		{"an int64 beyond 2^53", int64(math.MaxInt64), "9223372036854775807"},
		{"a whole float64", 7.0, "7"},
		{"a float64 beyond 2^53 has lost its digits", 9007199254740994.0, ""},
		{"not a number", math.NaN(), ""},
		{"infinity", math.Inf(1), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			clean, wrongs := s.Check(map[string]any{"id": c.value})
			if c.want == "" {
				if len(wrongs) != 1 {
					t.Fatalf("accepted as %v", clean)
				}
				return
			}
			if got := clean.(map[string]any)["id"]; len(wrongs) > 0 || got != json.Number(c.want) {
				t.Fatalf("got %v, %v", got, wrongs)
			}
		})
	}
}

func TestASecretIsNotRepeated(t *testing.T) {
	s := read(t, In, `
Top:
  type: object
  properties:
    pin: {type: integer, format: password}
    key: {type: string, x-mcp: {secret: true}}
`)
	_, wrongs := s.Check(map[string]any{"pin": "hunter2", "key": json.Number("4711")})
	text := strings.Join(lines(wrongs), "\n")
	if len(wrongs) != 2 || strings.Contains(text, "hunter2") || strings.Contains(text, "4711") {
		t.Fatal(text)
	}
	if secret, _ := s.Marked(); strings.Join(secret, " ") != "key pin" {
		t.Fatal(secret)
	}
}

func TestASecretThatAnAnswerShouldNotHaveIsMaskedAllTheSame(t *testing.T) {
	const document = `
Top:
  type: object
  properties:
    data:
      type: array
      items:
        type: object
        properties:
          name: {type: string}
          hint: {type: string, writeOnly: true}
          key: {type: string, writeOnly: true, x-mcp: {secret: true}}
`
	s := read(t, Out, document)
	if secret, _ := s.Marked(); strings.Join(secret, " ") != "data[].key" {
		t.Errorf("secrets of the answer: %q", secret)
	}
	if s.Leads("data[].key") {
		t.Error("the answer is said to have the key")
	}
}
