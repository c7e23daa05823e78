package listing

import (
	"encoding/json"
	"testing"
)

func TestNumbersCompareExactlyWhateverTheirSize(t *testing.T) {
	tests := []struct {
		name        string
		want, value string
		passes      bool
	}{
		{"neighbours beyond floats", "9007199254740993", "9007199254740992", false},
		{"the same beyond floats", "9007199254740993", "9007199254740993", true},
		{"one of several", "1, 2,3", "2", true},
		{"written otherwise", "2.0", "2", true},
		{"an exponent", "1e2", "100", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, same := cutBound("n")
			if got := byNumber(tt.want, same)(json.Number(tt.value)); got != tt.passes {
				t.Errorf("%s against %s: %v", tt.value, tt.want, got)
			}
		})
	}
	for _, none := range []string{"", "x", "1,,2", "1/0", "1e999999999", "NaN", "Inf"} {
		if byNumber(none, func(int) bool { return true }) != nil {
			t.Errorf("%q counts as a number", none)
		}
	}
}

func TestValuesOfAnyKindHaveAnOrder(t *testing.T) {
	inOrder := [][2]any{
		{nil, "a"}, {nil, json.Number("-1")}, {"a", "B"}, {json.Number("9"), json.Number("10")}, {false, true},
	}
	for _, pair := range inOrder {
		if compare(pair[0], pair[1]) >= 0 || compare(pair[1], pair[0]) <= 0 {
			t.Errorf("%v does not stand before %v", pair[0], pair[1])
		}
	}
}
