package shape

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compile reads a rendered schema with a strict 2020-12 validator.
func compile(t testing.TB, raw json.RawMessage) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", decode(t, string(raw))); err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	return s
}

// guess makes values for a shape: mostly right, often wrong in one place.
type guess struct{ *rand.Rand }

func (g guess) value(s *Shape, depth int) any {
	if g.IntN(25) == 0 {
		return []any{nil, "x", json.Number("3"), json.Number("2.5"), true, []any{}, map[string]any{}}[g.IntN(7)]
	}
	if s.Union != nil {
		b := s.Union.Branches[g.IntN(len(s.Union.Branches))]
		v := g.value(b.Shape, depth)
		if object, ok := v.(map[string]any); ok && len(b.Values) > 0 && g.IntN(15) > 0 {
			object[s.Union.Tag] = b.Values[g.IntN(len(b.Values))]
		}
		return v
	}
	if len(s.Enum) > 0 && g.IntN(10) > 0 {
		return s.Enum[g.IntN(len(s.Enum))]
	}
	switch s.Kind {
	case Object:
		out := map[string]any{}
		for _, p := range s.Props {
			if (p.Required && g.IntN(30) > 0 || g.IntN(3) == 0) && depth < 8 {
				out[p.Name] = g.value(p.Shape, depth+1)
			}
		}
		if g.IntN(20) == 0 {
			out["zzz"] = json.Number("1")
		}
		if s.Extra.Shape != nil && depth < 8 {
			out["k"] = g.value(s.Extra.Shape, depth+1)
		}
		return out
	case Array:
		out := []any{}
		for range g.IntN(3) + min(s.MinItems, 2) {
			if s.Items != nil && depth < 8 {
				out = append(out, g.value(s.Items, depth+1))
			}
		}
		return out
	case Integer:
		return json.Number(fmt.Sprint(g.IntN(40) - 5))
	case Number:
		return json.Number(fmt.Sprintf("%d.%d", g.IntN(5), g.IntN(10)))
	case Boolean:
		return g.IntN(2) == 0
	}
	return strings.Repeat("a", g.IntN(8))
}

// withoutNulls drops what Check takes as absent, so that a validator, which knows
// no such thing, judges the same value.
func withoutNulls(s *Shape, v any) any {
	clean, wrongs := s.Check(v)
	if len(wrongs) == 0 {
		return clean
	}
	return v
}

// TestAStrictValidatorAgrees is the referee: what Check accepts, a validator of
// its own descent accepts against the complete schema; and what Check refuses,
// that validator refuses too.
func TestAStrictValidatorAgrees(t *testing.T) {
	for name, schemas := range map[string]string{"animals": animals, "recursive": recursive, "scalars": plainScalars, "unions": unions} {
		t.Run(name, func(t *testing.T) {
			s := read(t, In, schemas)
			full := compile(t, s.Full(nil))
			g := guess{rand.New(rand.NewPCG(1, 2))}
			accepted, refused := 0, 0
			for range 4000 {
				v := g.value(s, 0)
				_, wrongs := s.Check(v)
				err := full.Validate(withoutNulls(s, v))
				if len(wrongs) == 0 {
					accepted++
				} else {
					refused++
				}
				if (err == nil) != (len(wrongs) == 0) {
					t.Fatalf("%s\ncheck: %v\nvalidator: %v", encode(t, v), lines(wrongs), err)
				}
			}
			if accepted < 200 || refused < 200 {
				t.Fatalf("the guesses are one-sided: %d accepted, %d refused", accepted, refused)
			}
		})
	}
}

// No formats and no coercible texts: the two sides would rightly differ.
const plainScalars = `
Top:
  type: object
  required: [count]
  properties:
    count: {type: integer, minimum: 1, exclusiveMaximum: 30}
    ratio: {type: number, minimum: 0.5, multipleOf: 0.5}
    active: {type: boolean}
    name: {type: string, minLength: 2, maxLength: 5, pattern: '^a+$'}
    both: {allOf: [{type: string, pattern: 'a'}, {type: string, pattern: '^.{3}$'}]}
    kind: {type: string, enum: [alpha, beta]}
    note: {type: [string, 'null'], maxLength: 3}
    mixed: {type: [string, integer, boolean]}
    list: {type: array, minItems: 1, maxItems: 2, uniqueItems: true, items: {type: integer}}
    few: {type: object, minProperties: 1, maxProperties: 2, additionalProperties: {type: boolean}}
`

const unions = `
Top:
  type: object
  required: [a]
  properties:
    a:
      oneOf:
        - {type: object, required: [x], properties: {x: {type: integer}, y: {type: string}}}
        - {type: object, required: [y], properties: {y: {type: string}, z: {type: array, items: {type: boolean}}}}
        - {type: array, items: {type: integer}}
        - {type: string, enum: [none]}
    b:
      anyOf: [{type: 'null'}, {type: integer, maximum: 3}, {type: object, properties: {deep: {anyOf: [{type: boolean}, {type: object, properties: {q: {type: integer}}}]}}}]
    c:
      type: object
      required: [base]
      properties: {base: {type: boolean}}
      oneOf:
        - {properties: {left: {type: integer}}, required: [left]}
        - {properties: {right: {type: string, minLength: 1}}, required: [right]}
`
