package shape

import (
	"strings"
	"testing"
)

func TestWhatAnArgumentHoldsIsToldInALine(t *testing.T) {
	for _, c := range []struct{ name, schema, line string }{
		{"an object", "{type: object, required: [name], properties: {name: {type: string}, size: {type: integer}}}", "{name, size?: integer}"},
		{"an array of arrays", "{type: array, items: {type: array, items: {type: object, properties: {on: {type: boolean}}}}}", "[[{on?: boolean}]]"},
		{"allowed values", "{type: object, properties: {kind: {type: string, enum: [a, b c, '1', '']}}}", `{kind?: a|b c|"1"|""}`},
		{"a map", "{type: object, additionalProperties: {type: integer}}", "{<name>: integer}"},
		{"kinds to choose from", "{anyOf: [{type: string}, {type: integer}]}", "text|integer"},
		{"a moment", "{type: object, properties: {at: {type: string, format: date-time}}}", "{at?: date-time}"},
		{"branches with the same fields stand together",
			"{oneOf: [{type: object, required: [type], properties: {type: {type: string, enum: [deny, drop]}}}, " +
				"{type: object, required: [type, code], properties: {type: {type: string, enum: [answer]}, code: {type: integer}}}]}",
			"{type: deny|drop} | {type: answer, code: integer}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := read(t, In, "Top: {type: object, properties: {a: "+c.schema+"}}\n")
			p, _ := s.Prop("a")
			if got := p.Shape.line(fullLine, false); got != c.line {
				t.Errorf("told as %s, want %s", got, c.line)
			}
		})
	}
}

func TestALineEndsWhateverIsInIt(t *testing.T) {
	for name, schemas := range map[string]string{"recursion": recursive, "unions": unions, "animals": animals} {
		t.Run(name, func(t *testing.T) {
			if line := read(t, In, schemas).line(detail{line: 200}, false); line == "" || len([]rune(line)) > 201 {
				t.Errorf("%d letters: %s", len(line), line)
			}
		})
	}
}

// A compact listing must take what the check takes, or a strict client would
// refuse to send it.
func TestACompactListingRefusesNothingThatIsRight(t *testing.T) {
	const rule = `
Top:
  type: object
  required: [criteria]
  properties:
    criteria: {type: array, items: {type: array, items: {type: object, required: [op], properties: {op: {type: string}, with: {anyOf: [{type: integer}, {type: string}]}}}}}
    mixed: {type: array, items: {anyOf: [{type: integer}, {type: object, properties: {a: {type: string}}}]}}
    deep: {type: object, properties: {a: {type: object, properties: {b: {type: array, items: {type: string}}}}}}
`
	s := read(t, In, rule)
	raw, _ := s.Listed(Listing{Lines: true, Budget: 600})
	plainness(t, raw)
	validator := compile(t, raw)
	for _, value := range []string{
		`{"criteria":[[{"op":"is","with":1},{"op":"is","with":"x"}],[]]}`,
		`{"criteria":[],"mixed":[1,{"a":"x"}],"deep":{"a":{"b":["x"]}}}`,
	} {
		if _, wrongs := s.Check(decode(t, value)); len(wrongs) > 0 {
			t.Fatalf("%s: %s", value, lines(wrongs))
		}
		if err := validator.Validate(decode(t, value)); err != nil {
			t.Errorf("a strict client refuses %s: %v\n%s", value, err, raw)
		}
	}
}

func TestAnExampleIsToldAndMustBeOne(t *testing.T) {
	s := read(t, In, "Top: {type: object, properties: {when: {type: array, items: {type: object, properties: {op: {type: string}}}, x-mcp: {example: [{op: 'a: b'}]}}}}\n")
	raw, _ := s.Listed(Listing{Lines: true, Budget: 600})
	if !strings.Contains(string(raw), `E.g. [{op: \"a: b\"}]`) {
		t.Errorf("%s", raw)
	}
}
