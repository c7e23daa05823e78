package shape

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// walk calls f for every schema in a listed one.
func walk(v any, at string, f func(at string, schema map[string]any)) {
	schema, ok := v.(map[string]any)
	if !ok {
		return
	}
	f(at, schema)
	props, _ := schema["properties"].(map[string]any)
	for name, p := range props {
		walk(p, at+"."+name, f)
	}
	for _, word := range []string{"items", "additionalProperties"} {
		walk(schema[word], at+"."+word, f)
	}
	options, _ := schema["anyOf"].([]any)
	for i, o := range options {
		walk(o, fmt.Sprintf("%s.anyOf[%d]", at, i), f)
	}
}

// plainness is what common clients want of every schema (bug bank B45–B49).
func plainness(t *testing.T, raw json.RawMessage) {
	t.Helper()
	if strings.Contains(string(raw), `"$`) || strings.Contains(string(raw), "null,") {
		t.Errorf("not self-contained: %s", raw)
	}
	root := decode(t, string(raw)).(map[string]any)
	for _, word := range []string{"oneOf", "anyOf", "allOf", "not", "if"} {
		if root[word] != nil {
			t.Errorf("%s at the root", word)
		}
	}
	walk(root, "root", func(at string, schema map[string]any) {
		kind, isWord := schema["type"].(string)
		if schema["type"] != nil && !isWord {
			t.Errorf("%s: the type is no single word", at)
		}
		if items, _ := schema["items"].(map[string]any); kind == "array" && items["type"] == nil && items["anyOf"] == nil {
			t.Errorf("%s: an array without items of a type", at)
		}
		if _, ok := schema["properties"].(map[string]any); kind == "object" && !ok {
			t.Errorf("%s: an object without properties", at)
		}
		if required, said := schema["required"]; said {
			if list, ok := required.([]any); !ok || len(list) == 0 {
				t.Errorf("%s: required is %v", at, required)
			}
		}
		for _, word := range []string{"oneOf", "allOf", "nullable", "discriminator"} {
			if schema[word] != nil {
				t.Errorf("%s: has %s", at, word)
			}
		}
	})
	compile(t, raw)
}

func TestListedSchemasArePlain(t *testing.T) {
	for name, schemas := range map[string]string{
		"scalars": scalars, "animals": animals, "recursive": recursive, "unions": unions,
		"an object of nothing":       "Top: {type: object}\n",
		"a root that is a choice":    "Top: {oneOf: [{type: object, required: [id], properties: {id: {type: integer}}}, {type: object, required: [name], properties: {name: {type: string}}}]}\n",
		"arrays that say nothing":    "Top: {type: object, properties: {a: {type: array}, b: {type: array, items: {}}, c: {type: array, items: {type: array}}}}\n",
		"null written as an option":  "Top: {type: object, properties: {a: {anyOf: [{type: array, items: {type: string}}, {type: 'null'}]}, b: {oneOf: [{enum: [x]}, {enum: ['']}, {enum: [null]}]}}}\n",
		"an array of nullable texts": "Top: {type: object, properties: {a: {type: array, items: {type: [string, 'null']}}}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			for _, mode := range []Mode{In, Out} {
				raw, _ := read(t, mode, schemas).Listed(Listing{Answer: mode == Out, Budget: 8 << 10})
				plainness(t, raw)
			}
		})
	}
}

func listed(t *testing.T, schemas string) map[string]any {
	t.Helper()
	raw, _ := read(t, In, schemas).Listed(Listing{Budget: 8 << 10})
	return decode(t, string(raw)).(map[string]any)
}

func at(t *testing.T, schema map[string]any, names ...string) map[string]any {
	t.Helper()
	for _, name := range names {
		next, ok := schema["properties"].(map[string]any)[name].(map[string]any)
		if !ok {
			t.Fatalf("there is no %s in %v", name, schema)
		}
		schema = next
	}
	return schema
}

func TestAChoiceIsListedAsOneObject(t *testing.T) {
	pet := at(t, listed(t, animals), "pet")
	if got := encode(t, at(t, pet, "kind")["enum"]); got != `["cat","lion","dog"]` {
		t.Errorf("the discriminator's values are %s", got)
	}
	if got := encode(t, pet["required"]); got != `["kind","name"]` {
		t.Errorf("required: %s", got)
	}
	for _, field := range []string{"lives", "bark"} {
		at(t, pet, field)
	}
	if got := pet["description"]; got != "Fields by kind (* required): cat|lion: name*, lives; dog: bark*, name*." {
		t.Errorf("the note is %q", got)
	}
}

func TestDifferentKindsStayAPlainAnyOf(t *testing.T) {
	size := at(t, listed(t, animals), "size")
	if got := encode(t, size); got != `{"anyOf":[{"type":"integer"},{"type":"string"}]}` {
		t.Error(got)
	}
}

func TestRecursionEndsWithANote(t *testing.T) {
	again := at(t, listed(t, recursive), "value", "list")["items"].(map[string]any)
	if again["type"] != "object" || again["description"] != "Again the fields of Value" {
		t.Errorf("%v", again)
	}
}

func TestAHugeSchemaIsToldCompactly(t *testing.T) {
	var schemas strings.Builder
	schemas.WriteString("Top: {$ref: '#/components/schemas/S0'}\n")
	for i := range 30 { // unfolds to 2^30 objects
		fmt.Fprintf(&schemas, "S%d: {type: object, properties: {a: {$ref: '#/components/schemas/S%d'}, b: {$ref: '#/components/schemas/S%d'}}}\n", i, i+1, i+1)
	}
	schemas.WriteString("S30: {type: object, properties: {end: {type: integer}}}\n")
	s := read(t, In, schemas.String())
	raw, complete := s.Listed(Listing{Budget: 4 << 10})
	if len(raw) > 4<<10 || complete {
		t.Fatalf("%d bytes, complete %v", len(raw), complete)
	}
	plainness(t, raw)
	if full := s.Full(nil); len(full) > 10<<10 {
		t.Fatalf("the complete schema has %d bytes", len(full))
	}
	deep := strings.Repeat(`{"b":`, 30) + `{"end":"x"}` + strings.Repeat("}", 30)
	if _, wrongs := s.Check(decode(t, deep)); len(wrongs) != 1 || !strings.HasSuffix(wrongs[0].Path, "b.end") {
		t.Fatalf("%+v", wrongs)
	}
}

func TestWhatTheListSaysCompletelyNeedsNoOtherSchema(t *testing.T) {
	_, complete := read(t, In, "Top: {type: object, properties: {a: {type: string, enum: [x, y]}}}\n").Listed(Listing{Budget: 1 << 10})
	if !complete {
		t.Error("a plain schema counts as cut")
	}
	_, complete = read(t, In, animals).Listed(Listing{Budget: 8 << 10})
	if complete {
		t.Error("a merged choice counts as complete")
	}
	_, complete = read(t, In, "Top: {type: object, properties: {a: {type: string, maxLength: 3}}}\n").Listed(Listing{Budget: 1 << 10})
	if complete {
		t.Error("a limit that only the check knows counts as told")
	}
}

func TestAnswersAreOpenAndMayHoldNull(t *testing.T) {
	s := read(t, Out, `
Top:
  type: object
  additionalProperties: false
  required: [id, secret, gone]
  properties:
    id: {type: integer, maximum: 5}
    kind: {type: string, enum: [a, b]}
    list: {type: array, items: {type: object, properties: {n: {type: integer}}}}
    gone: {type: [string, 'null']}
    comment: {type: string}
    secret: {type: string, writeOnly: true}
    rows: {type: array, items: {}}
`)
	loose := Paths{"comment"}
	raw, _ := s.Listed(Listing{Answer: true, Loose: loose, Budget: 4 << 10})
	validator := compile(t, raw)
	for _, c := range []struct {
		name, value string
		fits        bool
	}{
		{"all there", `{"id":1,"kind":"a","list":[{"n":1}],"gone":"x"}`, true},
		{"a new field", `{"id":1,"brand_new":{}}`, true},
		{"a new field deeper down", `{"list":[{"n":1,"m":2}]}`, true},
		{"a new enum value and a larger number", `{"id":99,"kind":"z"}`, true},
		{"null for what is optional or nullable", `{"id":1,"kind":null,"list":null,"gone":null,"rows":null}`, true},
		{"a part of the fields only", `{}`, true},
		{"rows of anything", `{"rows":[1,"a",null,[true],{}]}`, true},
		{"third-party text in its wrapper", `{"comment":{"origen":"no_confiable","contenido":"x"}}`, true},
		{"a text where an integer was promised", `{"id":"1"}`, false},
		{"null where a value was promised", `{"id":null}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := validator.Validate(decode(t, c.value))
			if (err == nil) != c.fits {
				t.Errorf("a strict client says %v to %s", err, raw)
			}
			wrongs := s.Fits(decode(t, c.value), loose)
			if (len(wrongs) == 0) != c.fits {
				t.Errorf("Fits says %v", lines(wrongs))
			}
		})
	}
	if strings.Contains(string(raw), `"secret":`) {
		t.Error("a write-only field is in the answer")
	}
}

func TestFitsKnowsKindsThatTheListLeavesOpen(t *testing.T) {
	s := read(t, Out, "Top: {type: object, properties: {list: {type: array, items: {type: object, properties: {n: {type: integer}}}}}}\n")
	wrongs := s.Fits(decode(t, `{"list":[{"n":null},{"n":[]}]}`), nil)
	if len(wrongs) != 1 || wrongs[0].Path != "list[1].n" {
		t.Fatal(lines(wrongs))
	}
}
