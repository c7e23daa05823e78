package idempotency

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
)

func TestCallsAreComparedByTheValueOfTheirArguments(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"keys in another order":                 {`{"a":1,"b":{"c":2,"d":3}}`, `{"b":{"d":3,"c":2},"a":1}`, true},
		"a number written otherwise":            {`{"a":[1, 100, 0.5, 0]}`, `{"a":[1.0, 1e2, 5E-1, -0.0]}`, true},
		"numbers that a float cannot tell":      {`{"a":9007199254740993}`, `{"a":9007199254740992}`, false},
		"an array in another order":             {`{"a":[1,2]}`, `{"a":[2,1]}`, false},
		"null and absent":                       {`{"a":null}`, `{}`, false},
		"a number and its text":                 {`{"a":1}`, `{"a":"1"}`, false},
		"text that looks like structure":        {`{"a":"1,\"b\":2"}`, `{"a":"1","b":2}`, false},
		"an escape and its character":           {`{"a":"\u00e9"}`, `{"a":"é"}`, true},
		"two forms of an accent":                {`{"a":"e\u0301"}`, `{"a":"é"}`, false},
		"arguments about the call itself":       {`{"a":1,"confirmado":true,"confirmacion":"x","plan_id":"p","esperar_segundos":3,"idempotency_key":"k"}`, `{"a":1}`, true},
		"the same name deeper is an argument":   {`{"a":{"plan_id":"p"}}`, `{"a":{}}`, false},
		"an exponent that fills no memory":      {`{"a":1e999999999999}`, `{"a":1e999999999998}`, false},
		"the same large exponent, moved digits": {`{"a":10e999999999998}`, `{"a":1e999999999999}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			if same := bytes.Equal(digestOf(t, c.a), digestOf(t, c.b)); same != c.same {
				t.Errorf("same = %v", same)
			}
		})
	}
}

func digestOf(t *testing.T, text string) []byte {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var args map[string]any
	if err := decoder.Decode(&args); err != nil {
		t.Fatal(err)
	}
	sum, err := digest(args, 7)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func TestGoNumbersCompareLikeDecodedOnes(t *testing.T) {
	a, err := digest(map[string]any{"n": 12, "f": 0.5, "l": []string{"x"}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := digest(map[string]any{"n": json.Number("12.0"), "f": json.Number("5e-1"), "l": []any{"x"}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Error("they differ")
	}
}

// Two numbers have one canonical form exactly when they are one number.
func FuzzCanonicalNumber(f *testing.F) {
	for _, seed := range []string{"0", "-0.0", "1", "1.0", "10e-1", "100", "1E+2", "0.001", "-12.3400e5", "9007199254740993"} {
		f.Add(seed, "1")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := exact(a), exact(b)
		if x == nil || y == nil {
			return
		}
		if equal := x.Cmp(y) == 0; equal != (canonicalNumber(a) == canonicalNumber(b)) {
			t.Errorf("%s and %s: equal is %v, forms are %s and %s", a, b, equal, canonicalNumber(a), canonicalNumber(b))
		}
	})
}

// exact is the number's value; nil for what is no JSON number, or too large to compute here.
func exact(text string) *big.Rat {
	if len(text) > 40 || !json.Valid([]byte(text)) || strings.ContainsAny(text[:1], `{["tfn`) || strings.TrimSpace(text) != text {
		return nil
	}
	if _, exponent, found := strings.Cut(strings.ToLower(text), "e"); found && len(exponent) > 4 {
		return nil
	}
	value, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return value
}
