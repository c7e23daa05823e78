package fault

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	tests := []struct {
		text string
		want Fault
	}{
		{"delay=150ms", Fault{Kind: Delay, Wait: 150 * time.Millisecond}},
		{"delay-after=2s", Fault{Kind: Delay, Wait: 2 * time.Second, After: true}},
		{"500", Fault{Kind: Status, Status: 500}},
		{"404-after", Fault{Kind: Status, Status: 404, After: true}},
		{"status=429", Fault{Kind: Status, Status: 429, RetryAfter: RetryAfter{"seconds", 1}}},
		{"status=503;retry-after=45", Fault{Kind: Status, Status: 503, RetryAfter: RetryAfter{"seconds", 45}}},
		{"status-after=429;retry-after=date:9", Fault{Kind: Status, Status: 429, After: true, RetryAfter: RetryAfter{"date", 9}}},
		{"429;retry-after=none", Fault{Kind: Status, Status: 429}},
		{"html", Fault{Kind: HTML}},
		{"close-after", Fault{Kind: Close, After: true}},
		{"truncate", Fault{Kind: Truncate, After: true}},
		{"overlap", Fault{Kind: Overlap, Wait: defaultHold}},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got, err := Parse(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]Fault{tt.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"delay=1s,500", "status=429;retry-after=date:", ";", "-after", "overlap=,html"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		faults, err := Parse(text)
		if err == nil && len(faults) == 0 {
			t.Errorf("%q is neither a fault nor an error", text)
		}
	})
}

func TestProbabilityAndCountDecideTogether(t *testing.T) {
	r := NewRules()
	chances := []float64{0.4, 0.6, 0.1, 0.2}
	r.chance = func() float64 {
		next := chances[0]
		chances = chances[1:]
		return next
	}
	if err := r.Set([]Rule{{Kind: "html", Probability: 0.5, Count: 2}}); err != nil {
		t.Fatal(err)
	}
	var met []bool
	for range 4 {
		met = append(met, r.Meet(1, "GET", "/x") != nil)
	}
	if diff := cmp.Diff([]bool{true, false, true, false}, met); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestARulesPathIsAPrefixByWholeSegments(t *testing.T) {
	tests := []struct {
		rule, path string
		want       bool
	}{
		{"", "/workspace/gardens", true},
		{"*", "/workspace/gardens", true},
		{"/workspace/gardens", "/workspace/gardens/5/beds", true},
		{"/workspace/gardens", "/workspace/gardens2", false},
		{"/workspace/gardens/*/beds", "/workspace/gardens/5/beds/6", true},
		{"/workspace/gardens/*/beds", "/workspace/gardens/5/chores", false},
		{"/workspace/gardens/*", "/workspace/gardens", false},
	}
	for _, tt := range tests {
		r := Rule{Path: tt.rule}
		if got := r.concerns(1, "GET", tt.path); got != tt.want {
			t.Errorf("%q and %q: %v", tt.rule, tt.path, got)
		}
	}
}
