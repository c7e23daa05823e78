package answer

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func TestSizeIsExactlyTheTextsLength(t *testing.T) {
	for name, v := range map[string]any{
		"nothing":           map[string]any{},
		"numbers":           map[string]any{"a": json.Number("12.50"), "b": 7, "c": int64(-3), "d": json.Number(""), "e": 1.5},
		"escapes":           map[string]any{"k\"\\": "a\"\\\b\f\n\r\t\x00\x1f<>&\u2028\u2029é文😀"},
		"broken bytes":      map[string]any{"a": "x\xff\xfe", "b": "\ufffd"},
		"nested":            map[string]any{"a": []any{}, "b": []any{nil, true, false, []any{1}}, "c": map[string]any{"d": map[string]any{}}},
		"Go's own types":    map[string]any{"a": []string{"x", "y"}, "b": map[string]string{"k": "é"}, "c": struct{ A int }{5}},
		"a float that is 0": map[string]any{"a": 0.0},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := Text(v.(map[string]any))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := size(v), utf8.RuneCountInString(text); got != want {
				t.Errorf("size %d, text has %d: %s", got, want, text)
			}
		})
	}
}

func FuzzTextSize(f *testing.F) {
	f.Add("é\"\\\x00\u2028<\xff")
	f.Fuzz(func(t *testing.T, s string) {
		text, err := Text(map[string]any{"": s})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := size(map[string]any{"": s}), utf8.RuneCountInString(text); got != want {
			t.Errorf("size %d, text has %d", got, want)
		}
	})
}

func TestTheNextPageBeginsWhereTheShownPartEnds(t *testing.T) {
	for before := range 40 {
		for limit := 1; limit <= 40; limit++ {
			for shown := 1; shown <= limit; shown++ {
				page := Page{Limit: limit, Number: before + 1}
				l, n := nextPage(page, shown)
				start, end := (n-1)*l, before*limit+shown
				if l < 1 || l > shown || start > end || start <= before*limit-1 && before > 0 || end-start >= l {
					t.Fatalf("after %d of page %d with %d: page %d with %d begins at %d, shown to %d", shown, page.Number, limit, n, l, start, end)
				}
			}
		}
	}
}
