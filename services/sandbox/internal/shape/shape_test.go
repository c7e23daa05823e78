package shape

import (
	"encoding/json"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

func schema(t *testing.T, text string) *openapi3.Schema {
	t.Helper()
	s := new(openapi3.Schema)
	if err := json.Unmarshal([]byte(text), s); err != nil {
		t.Fatal(err)
	}
	return s
}

func value(t *testing.T, text string) map[string]any {
	t.Helper()
	v, err := Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v.(map[string]any)
}

func TestMerge(t *testing.T) {
	tests := []struct{ name, v, patch, want string }{
		{"a field is replaced", `{"a":1,"b":2}`, `{"a":3}`, `{"a":3,"b":2}`},
		{"objects are merged", `{"a":{"x":1,"y":2}}`, `{"a":{"y":3}}`, `{"a":{"x":1,"y":3}}`},
		{"lists are replaced", `{"a":[1,2]}`, `{"a":[3]}`, `{"a":[3]}`},
		{"null is a value", `{"a":1}`, `{"a":null}`, `{"a":null}`},
		{"the same kind is merged", `{"type":"t","a":{"x":1}}`, `{"type":"t","a":{"y":2}}`, `{"type":"t","a":{"x":1,"y":2}}`},
		{"another kind brings its own attributes", `{"type":"t","a":{"x":1},"n":1}`, `{"type":"u","a":{"y":2}}`, `{"type":"u","a":{"y":2},"n":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := value(t, tt.v)
			if diff := cmp.Diff(value(t, tt.want), Merge(v, value(t, tt.patch))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(value(t, tt.v), v); diff != "" {
				t.Errorf("the old value changed:\n%s", diff)
			}
		})
	}
}

func TestSampleIsValid(t *testing.T) {
	for _, text := range []string{
		`{"type":"string"}`, `{"type":"string","minLength":12}`, `{"type":"string","pattern":"^\\d+\\.\\d+$"}`,
		`{"type":"string","pattern":"^(custom|\\d+\\.\\d+)$"}`, `{"type":"string","enum":["b","a"]}`,
		`{"type":"string","format":"date-time"}`, `{"type":"integer","minimum":3,"maximum":9}`,
		`{"type":"number","maximum":-1}`, `{"type":"array","minItems":2,"items":{"type":"boolean"}}`,
		`{"type":"object","required":["a"],"properties":{"a":{"type":"object","required":["b"],"properties":{"b":{"type":"string","minLength":1}}}}}`,
		`{"nullable":true,"type":"string","minLength":5}`, `{"oneOf":[{"type":"integer","minimum":1}]}`,
		`{"allOf":[{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}},{"required":["b"],"properties":{"b":{"type":"boolean"}}}]}`,
	} {
		v := must(t, Sample(schema(t, text)))
		if wrong := ValidateAnswer(schema(t, text), v); wrong != nil {
			t.Errorf("%s: %v is no value of it: %v", text, v, wrong)
		}
	}
}

func must(t *testing.T, v any) any {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	v, err = Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestASchemaThatContainsItselfEnds(t *testing.T) {
	s := schema(t, `{"type":"object","required":["inner"],"properties":{"inner":{"type":"object"},"n":{"type":"integer","default":1}}}`)
	s.Properties["inner"].Value = s
	s.AllOf = openapi3.SchemaRefs{{Value: s}}
	v := map[string]any{}
	Defaults(s, v)
	Fill(s, v, nil)
	Show(s, v)
	Names(s)
	Sample(s)
}

func TestAPatternBeyondGosExpressionsBindsNobody(t *testing.T) {
	s := schema(t, `{"type":"string","pattern":"^(?=.*x)a"}`)
	if wrong := Validate(s, "b"); wrong != nil {
		t.Errorf("refused: %v", wrong)
	}
}

func TestPointersAreEscaped(t *testing.T) {
	s := schema(t, `{"type":"object","properties":{"a/b~c":{"type":"integer"}}}`)
	wrong := Validate(s, map[string]any{"a/b~c": "x"})
	if len(wrong) != 1 || wrong[0].Pointer != "/a~1b~0c" {
		t.Errorf("told %v", wrong)
	}
}
