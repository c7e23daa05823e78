package yardstick_test

import (
	"math"
	"testing"

	"github.com/comporta-mcp/comporta/services/docs/internal/yardstick"
)

// The numbers are worked out by hand: gains 3 and 1, discounts 1, 1/log2(3), 1/2.
func TestMeasure(t *testing.T) {
	relevant := map[string]int{"a": 2, "b": 2, "c": 1}
	third := 1 / math.Log2(3)
	ideal := 3 + 3*third + 0.5
	for _, c := range []struct {
		name   string
		ranked []string
		want   yardstick.Measures
	}{
		{"all in order", []string{"a", "b", "c"}, yardstick.Measures{NDCG: 1, MRR: 1, Recall: 1}},
		{"the related one first", []string{"c", "a"}, yardstick.Measures{NDCG: (1 + 3*third) / ideal, MRR: 0.5, Recall: 0.5}},
		{"one that comes twice counts once", []string{"a", "a", "b"}, yardstick.Measures{NDCG: (3 + 3*third) / ideal, MRR: 1, Recall: 1}},
		{"sixth is too late for all but the rank", []string{"x1", "x2", "x3", "x4", "x5", "a"}, yardstick.Measures{MRR: 1.0 / 6}},
		{"nothing", nil, yardstick.Measures{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := yardstick.Measure(c.ranked, relevant)
			for _, d := range []float64{got.NDCG - c.want.NDCG, got.MRR - c.want.MRR, got.Recall - c.want.Recall} {
				if math.Abs(d) > 1e-9 {
					t.Fatalf("%+v, want %+v", got, c.want)
				}
			}
		})
	}
}

func TestMean(t *testing.T) {
	got := yardstick.Mean([]yardstick.Measures{{NDCG: 1, MRR: 1, Recall: 1}, {NDCG: 0.5}})
	if got != (yardstick.Measures{NDCG: 0.75, MRR: 0.5, Recall: 0.5}) || yardstick.Mean(nil) != (yardstick.Measures{}) {
		t.Errorf("%+v", got)
	}
}
