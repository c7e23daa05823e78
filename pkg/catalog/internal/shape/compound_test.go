package shape

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const animals = `
Top:
  type: object
  required: [pet]
  additionalProperties: false
  properties:
    pet: {$ref: '#/components/schemas/Pet'}
    size:
      anyOf: [{type: integer, minimum: 1}, {type: string}]
    tags: {type: array, minItems: 1, items: {type: string}, uniqueItems: true, maxItems: 3}
    labels: {type: object, additionalProperties: {type: integer}}
    open: {type: object}
    id: {type: integer, readOnly: true}
Pet:
  oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
  discriminator: {propertyName: kind, mapping: {cat: '#/components/schemas/Cat', lion: '#/components/schemas/Cat', dog: '#/components/schemas/Dog'}}
  additionalProperties: false
Cat:
  allOf:
    - {$ref: '#/components/schemas/Base'}
    - {type: object, additionalProperties: false, properties: {lives: {type: integer, maximum: 9}}}
Dog:
  allOf:
    - {$ref: '#/components/schemas/Base'}
    - {type: object, required: [bark], properties: {bark: {type: object, properties: {volume: {type: string, enum: [low, high]}}}}}
Base:
  type: object
  additionalProperties: false
  required: [kind, name]
  properties: {kind: {type: string}, name: {type: string}}
`

func TestTheDeepFaultIsNamed(t *testing.T) {
	s := read(t, In, animals)
	for _, c := range []struct {
		name, value string
		wrong       []string
	}{
		{"a good cat, closed parts merged", `{"pet":{"kind":"cat","name":"a","lives":9}}`, nil},
		{"a second value of the discriminator for one branch", `{"pet":{"kind":"lion","name":"a"}}`, nil},
		{"no pet", `{}`, []string{"pet: is required"}},
		{"no discriminator", `{"pet":{"name":"a"}}`, []string{`pet.kind: is required: one of "cat", "lion", "dog"`}},
		{"an unknown discriminator", `{"pet":{"kind":"dgo"}}`, []string{`pet.kind: must be one of "cat", "lion", "dog"; did you mean "dog"?`}},
		{"a field of the other branch", `{"pet":{"kind":"dog","name":"a","bark":{},"lives":3}}`, []string{"pet.lives: unknown field; known here: bark, kind, name"}},
		{"two levels down", `{"pet":{"kind":"dog","name":"a","bark":{"volume":"loud"}}}`, []string{`pet.bark.volume: must be one of "low", "high"`}},
		{"a limit in an allOf of a branch", `{"pet":{"kind":"cat","name":"a","lives":10}}`, []string{"pet.lives: must be at most 9"}},
		{"a branch that is no object", `{"pet":"cat"}`, []string{`pet: must be an object, not the text "cat"`}},
		{"an element by its index", `{"pet":{"kind":"cat","name":"a"},"tags":["x",3]}`, []string{`tags[1]: must be a text, not the number 3; put it in quotes: "3"`}},
		{"a repeated element", `{"pet":{"kind":"cat","name":"a"},"tags":["x","x"]}`, []string{"tags[1]: repeats element 0; elements must differ"}},
		{"one element is one", `{"pet":{"kind":"cat","name":"a"},"tags":[]}`, []string{"tags: must have at least 1 element, has 0"}},
		{"too many elements", `{"pet":{"kind":"cat","name":"a"},"tags":["a","b","c","d"]}`, []string{"tags: must have at most 3 elements, has 4"}},
		{"a value of a map", `{"pet":{"kind":"cat","name":"a"},"labels":{"a":"x"}}`, []string{`labels.a: must be an integer, not the text "x"`}},
		{"an object without properties is open", `{"pet":{"kind":"cat","name":"a"},"open":{"any":{"thing":1}}}`, nil},
		{"a read-only field says so", `{"pet":{"kind":"cat","name":"a"},"id":1}`, []string{"id: is set by the platform and cannot be sent; leave it out"}},
		{"a null read-only field is left out", `{"pet":{"kind":"cat","name":"a"},"id":null}`, nil},
		{"an array where an object is wanted", `{"pet":[]}`, []string{"pet: must be an object, not an array"}},
		{"a null element", `{"pet":{"kind":"cat","name":"a"},"tags":[null]}`, []string{"tags[0]: must not be null"}},
		{"several faults at once", `{"pet":{"kind":"cat"},"labels":4,"x":1}`, []string{"labels: must be an object, not the number 4", "pet.name: is required", "x: unknown argument; known here: labels, open, pet, size, tags"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, wrongs := s.Check(decode(t, c.value))
			if diff := cmp.Diff(c.wrong, lines(wrongs)); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

func TestAllowedValuesComeWithTheFault(t *testing.T) {
	_, wrongs := read(t, In, animals).Check(decode(t, `{"pet":{"kind":"dog","name":"a","bark":{"volume":"loud"}}}`))
	if len(wrongs) != 1 || !cmp.Equal(wrongs[0].Allowed, []any{"low", "high"}) {
		t.Fatalf("%+v", wrongs)
	}
}

func TestAScalarKeepsTheKindItCameIn(t *testing.T) {
	s := read(t, In, animals)
	pet := `"pet":{"kind":"cat","name":"a"}`
	expect(t, s, `{`+pet+`,"size":"12"}`, `{"pet":{"kind":"cat","name":"a"},"size":"12"}`)
	expect(t, s, `{`+pet+`,"size":12}`, `{"pet":{"kind":"cat","name":"a"},"size":12}`)
	expect(t, s, `{`+pet+`,"size":0}`, "", "size: must be at least 1")
}

func TestWithoutADiscriminatorTheBestBranchIsBlamed(t *testing.T) {
	s := read(t, In, `
Top:
  oneOf:
    - {type: object, required: [url], properties: {url: {type: string}, retries: {type: integer}}}
    - {type: object, required: [topic, brokers], properties: {topic: {type: string}, brokers: {type: array, items: {type: string}}}}
`)
	expect(t, s, `{"url":"u","retries":"many"}`, "", `retries: must be an integer, not the text "many"`)
	expect(t, s, `{"topic":"t","brokers":[1]}`, "", `brokers[0]: must be a text, not the number 1; put it in quotes: "1"`)
	expect(t, s, `{"topic":"t"}`, "", "brokers: is required")
	expect(t, s, `{"topic":"t","brokers":["b"]}`, `{"brokers":["b"],"topic":"t"}`)
}

func TestFixedValuesDecideLikeADiscriminator(t *testing.T) {
	s := read(t, In, `
Top:
  anyOf:
    - {type: object, required: [mode, a], properties: {mode: {const: one}, a: {type: integer}}}
    - {type: object, required: [mode, b], properties: {mode: {enum: [two, three]}, b: {type: integer}}}
`)
	expect(t, s, `{"mode":"three","b":"x"}`, "", `b: must be an integer, not the text "x"`)
	expect(t, s, `{"mode":"four"}`, "", `mode: must be one of "one", "two", "three"`)
}

func TestADiscriminatorOnTheBaseChoosesItsHeirs(t *testing.T) {
	s := read(t, In, `
Top: {$ref: '#/components/schemas/Vehicle'}
Vehicle:
  type: object
  required: [kind]
  properties: {kind: {type: string}}
  discriminator: {propertyName: kind, mapping: {car: '#/components/schemas/Car', bike: Bike}}
Car:
  allOf: [{$ref: '#/components/schemas/Vehicle'}, {type: object, required: [doors], properties: {doors: {type: integer}}}]
Bike:
  allOf: [{$ref: '#/components/schemas/Vehicle'}, {type: object, properties: {gears: {type: integer}}}]
`)
	expect(t, s, `{"kind":"car","doors":3}`, `{"doors":3,"kind":"car"}`)
	expect(t, s, `{"kind":"bike","doors":3}`, "", "doors: unknown argument; known here: gears, kind")
}

const recursive = `
Top:
  type: object
  properties:
    value: {$ref: '#/components/schemas/Value'}
    left: {$ref: '#/components/schemas/Left'}
    map: {$ref: '#/components/schemas/Map'}
    node: {$ref: '#/components/schemas/Node'}
Value:
  type: object
  properties: {text: {type: string}, list: {$ref: '#/components/schemas/List'}}
List: {type: array, items: {$ref: '#/components/schemas/Value'}}
Left: {type: object, properties: {right: {$ref: '#/components/schemas/Right'}}}
Right: {type: object, properties: {left: {$ref: '#/components/schemas/Left'}, n: {type: integer}}}
Map: {type: object, additionalProperties: {$ref: '#/components/schemas/Map'}}
Node:
  type: object
  properties: {name: {type: string}, special: {$ref: '#/components/schemas/Special'}}
Special:
  allOf: [{$ref: '#/components/schemas/Node'}, {type: object, properties: {extra: {type: integer}}}]
`

func TestTheCheckFollowsRecursionAsDeepAsTheValueGoes(t *testing.T) {
	s := read(t, In, recursive)
	expect(t, s, `{"value":{"list":[{"list":[{"list":[{"text":4}]}]}]}}`, "",
		`value.list[0].list[0].list[0].text: must be a text, not the number 4; put it in quotes: "4"`)
	expect(t, s, `{"left":{"right":{"left":{"right":{"n":"x"}}}}}`, "", `left.right.left.right.n: must be an integer, not the text "x"`)
	expect(t, s, `{"map":{"a":{"b":{"c":3}}}}`, "", "map.a.b.c: must be an object, not the number 3")
	expect(t, s, `{"node":{"special":{"special":{"extra":"x"}}}}`, "", `node.special.special.extra: must be an integer, not the text "x"`)
	expect(t, s, `{"node":{"extra":1}}`, "", "node.extra: unknown field; known here: name, special")
}

func TestAValueTooDeepIsRefusedAndNotFollowed(t *testing.T) {
	s := read(t, In, recursive)
	text := strings.Repeat(`{"a":`, 5000) + "{}" + strings.Repeat("}", 5000)
	_, wrongs := s.Check(decode(t, `{"map":`+text+`}`))
	if len(wrongs) != 1 || !strings.Contains(wrongs[0].Message, "too deeply") {
		t.Fatalf("%d faults", len(wrongs))
	}
}

func TestAmbiguousRecursionCostsABoundedAmount(t *testing.T) {
	s := read(t, In, `
Top: {$ref: '#/components/schemas/Tree'}
Tree:
  anyOf:
    - {type: object, properties: {next: {$ref: '#/components/schemas/Tree'}, a: {type: integer}}}
    - {type: object, properties: {next: {$ref: '#/components/schemas/Tree'}, b: {type: integer}}}
    - {type: object, properties: {next: {$ref: '#/components/schemas/Tree'}, c: {type: integer}}}
`)
	text := strings.Repeat(`{"next":`, 60) + `{"next":4}` + strings.Repeat("}", 60)
	if _, wrongs := s.Check(decode(t, text)); len(wrongs) == 0 {
		t.Fatal("a wrong value was accepted")
	}
}

func TestSchemasThatMeanNothingAreNamed(t *testing.T) {
	for _, c := range []struct{ name, schemas, want string }{
		{"allOf in a circle", "Top: {allOf: [{$ref: '#/components/schemas/B'}]}\nB: {allOf: [{$ref: '#/components/schemas/Top'}]}\n", "allOf contains itself"},
		{"oneOf in a circle", "Top: {oneOf: [{$ref: '#/components/schemas/B'}, {type: string}]}\nB: {anyOf: [{$ref: '#/components/schemas/Top'}, {type: integer}]}\n", "oneOf or anyOf contains itself"},
		{"two types at once", "Top: {allOf: [{type: string}, {type: integer}]}\n", "two types at once"},
		{"no value left", "Top: {allOf: [{type: string, enum: [a]}, {type: string, enum: [b]}]}\n", "no allowed value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(faultsOf(t, c.schemas), "\n"); !strings.Contains(got, c.want) {
				t.Fatalf("got %q", got)
			}
		})
	}
}
