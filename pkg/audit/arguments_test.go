package audit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/comporta-mcp/comporta/pkg/telemetry/mask"
)

func masked(t testing.TB) *Log {
	t.Helper()
	m, err := mask.New()
	if err != nil {
		t.Fatal(err)
	}
	return &Log{masker: m}
}

func TestArgumentsAreBoundedAndStayJSON(t *testing.T) {
	many := map[string]any{}
	for i := range 5000 {
		many[fmt.Sprintf("field_%04d_with_a_long_name", i)] = strings.Repeat("ã", 50)
	}
	deep := any("x")
	for range 3000 {
		deep = []any{deep}
	}
	tests := []struct {
		name  string
		args  map[string]any
		holds []string
	}{
		{"short ones stay as they are", map[string]any{"a": "b", "n": json.Number("12345678901234567890"), "z": nil}, []string{`{"a":"b","n":12345678901234567890,"z":null}`}},
		{"a long text is cut between characters", map[string]any{"code": strings.Repeat("ã", 50_000), "id": 7}, []string{`"id":7`, `ã…"`}},
		{"a long list tells its length", map[string]any{"ids": make([]any, 10_000)}, []string{`"_recortado":10000`}},
		{"a wide object tells its width", many, []string{`"_recortado":5000`}},
		{"a deep one is told by its name only", map[string]any{"deep": deep, "a": 1}, []string{`"argumentos":["a","deep"]`}},
		{"many long texts", map[string]any{"a": strings.Repeat("x", 3000), "b": strings.Repeat("y", 3000), "c": 1}, []string{`"c":1`, "xxx…", "yyy…"}},
		{"quotes and control characters grow when escaped", map[string]any{"q": strings.Repeat("\"\x01", 2000)}, []string{"…"}},
		{"markup is not escaped", map[string]any{"html": "<b>&</b>"}, []string{"<b>&</b>"}},
	}
	l := masked(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := l.arguments(nil, tt.args)
			if len(got) > maxArguments || !json.Valid(got) || !utf8.Valid(got) {
				t.Errorf("%d bytes, JSON %t: %.200s", len(got), json.Valid(got), got)
			}
			for _, want := range tt.holds {
				if !strings.Contains(string(got), want) {
					t.Errorf("lacks %q: %.300s", want, got)
				}
			}
		})
	}
}

func FuzzArguments(f *testing.F) {
	f.Add(`{"a":[1,2,{"b":"c"}],"password":"x"}`, "d", 900)
	f.Add(`{"":"\u0000"}`, "ã\xff", 5000)
	f.Fuzz(func(t *testing.T, text, repeated string, times int) {
		var args map[string]any
		if json.Unmarshal([]byte(text), &args) != nil || args == nil {
			t.Skip()
		}
		args["repeated"] = strings.Repeat(repeated, min(max(times, 0), 5000))
		got := masked(t).arguments([]string{"a[].b", "*"}, args)
		if len(got) > maxArguments || !json.Valid(got) {
			t.Errorf("%d bytes: %.200s", len(got), got)
		}
	})
}
