package answer_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// TestTheTotalBesideACutIsTheTrueOne: whether the number of elements or of
// characters was too large, and whether or not a third party wrote it.
func TestTheTotalBesideACutIsTheTrueOne(t *testing.T) {
	fat := func(i int) any { return obj("id", json.Number(fmt.Sprint(i)), "text", strings.Repeat("é", 3000)) }
	for name, c := range map[string]struct {
		tool  *catalog.Tool
		value map[string]any
		marks map[string]any
	}{
		"elements of a page out of many": {
			list, obj("count", json.Number("5000"), "results", items(100, fat)), obj("results_recortado", int64(5000)),
		},
		"elements of a platform that does not count": {
			list, obj("results", items(100, fat)), obj("results_recortado", int64(100)),
		},
		"elements that a third party wrote": {
			&catalog.Tool{List: list.List, Untrusted: []string{"results"}},
			obj("count", json.Number("5000"), "results", items(100, fat)), obj("results_recortado", int64(5000)),
		},
		"more than 200 of them, and long ones": {
			list, obj("count", json.Number("300"), "results", items(300, fat)), obj("results_recortado", int64(300)),
		},
		"rows that a third party wrote": {
			&catalog.Tool{Untrusted: []string{"rows"}},
			obj("rows", items(150, func(i int) any { return []any{i, strings.Repeat("x", 1000)} })), obj("rows_recortado", int64(150)),
		},
		"a text that a third party wrote": {
			&catalog.Tool{Untrusted: []string{"code"}}, obj("code", strings.Repeat("é", 90_000)), obj("code_recortado", int64(90_000)),
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := answer.Shape(c.tool, c.value, answer.Page{Limit: 100, Number: 1})
			marks := map[string]any{}
			for key, value := range got {
				if strings.HasSuffix(key, "_recortado") {
					marks[key] = value
				}
			}
			if diff := cmp.Diff(c.marks, marks); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(mustText(t, got), "contenido_recortado") {
				t.Error("the total stands inside the wrapper too")
			}
			if got["recorte"] == nil {
				t.Error("the answer does not say how to get the rest")
			}
		})
	}
}

func TestACutListWithATokenIsAskedForInSmallerParts(t *testing.T) {
	tool := &catalog.Tool{List: &catalog.List{Key: "results", SizeArg: "max_count"}}
	got := answer.Shape(tool, obj("continuation_token", "after-200", "results",
		items(200, func(int) any { return strings.Repeat("k", 1000) })), answer.Page{Limit: 200, Number: 1})
	next, _ := got["recorte"].(map[string]any)["argumentos"].(map[string]any)
	if diff := cmp.Diff(map[string]any{"limit": len(got["results"].([]any))}, next); diff != "" {
		t.Error(diff)
	}
}

// TestWhateverTheShapeACutAnswerIsValidSmallAndHonest: what is left is the front
// of what was there, and whatever is missing is counted somewhere above it.
func TestWhateverTheShapeACutAnswerIsValidSmallAndHonest(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	text := func(n int) string { return strings.Repeat("ç\"\n", n) }
	shapes := map[string]func() any{
		"one huge text":         func() any { return text(30_000 + random.IntN(30_000)) },
		"many small texts":      func() any { return items(150, func(int) any { return text(random.IntN(400)) }) },
		"lists of lists":        func() any { return items(40, func(int) any { return items(40, func(int) any { return text(30) }) }) },
		"a list with one giant": func() any { return items(5, func(i int) any { return text(1 + (1-min(i, 1))*40_000) }) },
		"many fields": func() any {
			out := map[string]any{}
			for i := range 3000 {
				out[fmt.Sprintf("field_%d", i)] = text(10)
			}
			return out
		},
		"deep objects": func() any {
			v := any(text(50_000))
			for range 30 {
				v = obj("a", v, "b", "short")
			}
			return v
		},
		"numbers": func() any { return items(200, func(int) any { return json.Number(strings.Repeat("9", 390)) }) },
	}
	for name, make := range shapes {
		t.Run(name, func(t *testing.T) {
			for range 10 {
				whole := obj("id", json.Number("1"), "data", make(), "more", make())
				got := answer.Shape(&catalog.Tool{}, whole, answer.Page{})
				if n := utf8.RuneCountInString(mustText(t, got)); n > answer.MaxChars || n < answer.MaxChars/3 {
					t.Fatalf("%d characters", n)
				}
				if got["id"] != json.Number("1") {
					t.Errorf("a short field was lost: %v", got["id"])
				}
				if path := dishonest("", whole, got, false); path != "" {
					t.Fatalf("%s is not the front of what was there, or is cut without a word", path)
				}
			}
		})
	}
}

// dishonest gives the first place where got is not a cut of whole that says so.
// told: a total above counts what is missing here.
func dishonest(path string, whole, got any, told bool) string {
	switch whole := whole.(type) {
	case string:
		short, ok := got.(string)
		if !ok || !strings.HasPrefix(whole, short) || short != whole && !told {
			return path
		}
	case []any:
		short, ok := got.([]any)
		if !ok || len(short) > len(whole) || len(short) < len(whole) && !told {
			return path
		}
		for i := range short {
			if at := dishonest(fmt.Sprintf("%s[%d]", path, i), whole[i], short[i], told); at != "" {
				return at
			}
		}
	case map[string]any:
		short, ok := got.(map[string]any)
		if !ok {
			return path
		}
		for key, value := range whole {
			left, here := short[key]
			_, marked := short[key+"_recortado"]
			if !here && !told && !marked {
				return path + "." + key
			}
			if at := dishonest(path+"."+key, value, left, told || marked); here && at != "" {
				return at
			}
		}
	default:
		if whole != got && !told {
			return path
		}
	}
	return ""
}
