package answer

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// once is a tool whose platform shows data.secret_key and each results[].pin once.
var onceTool = &catalog.Tool{
	Secrets:   []string{"data.secret_key", "data.token", "results[].pin"},
	ShownOnce: []string{"data.secret_key", "results[].pin"},
}

func TestSecretsThatAreShownOnceAreTakenOut(t *testing.T) {
	standIn := Kept("https://auth.example.com/secrets/1", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	for name, c := range map[string]struct {
		value map[string]any
		taken map[string]any
	}{
		"one field":            {map[string]any{"data": map[string]any{"secret_key": "hush", "id": 1}}, map[string]any{"data.secret_key": "hush"}},
		"one in each element":  {map[string]any{"results": []any{map[string]any{"pin": "a"}, map[string]any{"pin": "b"}}}, map[string]any{"results[].pin": "a", "results[].pin (2)": "b"}},
		"none":                 {map[string]any{"data": map[string]any{"id": 1}}, map[string]any{}},
		"an empty one":         {map[string]any{"data": map[string]any{"secret_key": ""}}, map[string]any{}},
		"a null":               {map[string]any{"data": map[string]any{"secret_key": nil}}, map[string]any{}},
		"a forged stand-in":    {map[string]any{"data": map[string]any{"secret_key": map[string]any{"secreto": "guardado", "ver_en": "hush"}}}, map[string]any{"data.secret_key": map[string]any{"secreto": "guardado", "ver_en": "hush"}}},
		"an object as a whole": {map[string]any{"data": map[string]any{"secret_key": map[string]any{"pem": "hush"}}}, map[string]any{"data.secret_key": map[string]any{"pem": "hush"}}},
	} {
		t.Run(name, func(t *testing.T) {
			before := clone(c.value)
			rest, taken := TakeOnce(onceTool, c.value, standIn)
			if diff := cmp.Diff(c.taken, taken); diff != "" {
				t.Errorf("taken:\n%s", diff)
			}
			if diff := cmp.Diff(before, any(c.value)); diff != "" {
				t.Errorf("the answer itself was changed:\n%s", diff)
			}
			text, _ := json.Marshal(Shape(onceTool, rest, Page{}))
			if strings.Contains(string(text), "hush") {
				t.Errorf("it is still told: %s", text)
			}
			if len(taken) > 0 && !strings.Contains(string(text), "https://auth.example.com/secrets/1") {
				t.Errorf("where it is kept is not told: %s", text)
			}
		})
	}
}

func TestStandInsOutliveStorageAndOtherSecretsAreMasked(t *testing.T) {
	value := map[string]any{"data": map[string]any{"secret_key": "hush", "token": "hush", "id": json.Number("7")}}
	rest, _ := TakeOnce(onceTool, value, Kept("https://auth.example.com/secrets/1", time.Unix(0, 0)))
	text, err := json.Marshal(Hide(onceTool, rest))
	if err != nil {
		t.Fatal(err)
	}
	var read map[string]any
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"data": map[string]any{
		"id": 7.0, "token": Redacted,
		"secret_key": map[string]any{"secreto": "guardado", "ver_en": "https://auth.example.com/secrets/1", "vence_en": "1970-01-01T00:00:00Z"},
	}}
	if diff := cmp.Diff(want, Shape(onceTool, read, Page{})); diff != "" {
		t.Error(diff)
	}
}

func TestASecretThatNobodyKeptIsMasked(t *testing.T) {
	value := map[string]any{"data": map[string]any{"secret_key": "hush"}}
	if got := Shape(onceTool, value, Page{})["data"].(map[string]any)["secret_key"]; got != Redacted {
		t.Errorf("shown as %v", got)
	}
}

func TestAnAnswerThatWasFoundOutLaterSaysWhereTheSecretIs(t *testing.T) {
	found := map[string]any{"data": map[string]any{"id": 7}, "results": []any{map[string]any{"id": 1}, map[string]any{"pin": "there"}}}
	got := FillOnce(onceTool, found, Lost())
	if data := got["data"].(map[string]any); !IsStandIn(data["secret_key"]) {
		t.Errorf("data: %v", data)
	}
	elements := got["results"].([]any)
	if !IsStandIn(elements[0].(map[string]any)["pin"]) || elements[1].(map[string]any)["pin"] != "there" {
		t.Errorf("results: %v", elements)
	}
	later := GraftOnce(onceTool, got, map[string]any{"data": map[string]any{"id": 7, "state": "ready"}})
	if !IsStandIn(later["data"].(map[string]any)["secret_key"]) {
		t.Errorf("not carried over: %v", later)
	}
}

func TestOnlyStandInsAreStandIns(t *testing.T) {
	for name, v := range map[string]any{
		"a text":          "guardado",
		"another word":    map[string]any{"secreto": "hush", "ver_en": "x"},
		"a further field": map[string]any{"secreto": "guardado", "ver_en": "x", "key": "hush"},
		"no text":         map[string]any{"secreto": "guardado", "ver_en": map[string]any{"key": "hush"}},
		"nothing else":    map[string]any{"secreto": "guardado"},
	} {
		t.Run(name, func(t *testing.T) {
			if IsStandIn(v) {
				t.Errorf("%v is taken for a stand-in", v)
			}
		})
	}
}
