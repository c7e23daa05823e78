package main

import (
	"strings"
	"testing"
)

func TestEveryListStaysWithinItsBudget(t *testing.T) {
	counts, err := countAll(areas)
	if err != nil {
		t.Fatal(err)
	}
	limits, err := readBudgets()
	if err != nil {
		t.Fatal(err)
	}
	if err := limits.check(counts); err != nil {
		t.Error(err)
	}
	for _, c := range counts {
		if c.Tools == 0 || c.After == 0 || c.Before < c.After {
			t.Errorf("%s: %d tools cost %d tokens, %d before: that cannot be", c.List, c.Tools, c.After, c.Before)
		}
	}
}

func TestAListPastItsBudgetIsNamed(t *testing.T) {
	limits := budgets{"build": 100, "build, several companies": 120, "lite": 10, "profile": 50}
	err := limits.check([]count{
		{List: "build", After: 100, Choice: 20}, {List: "build/lite", After: 11}, {List: "build/functions", After: 51}, {List: "other", After: 50, Choice: 1},
	})
	if err == nil {
		t.Fatal("nothing is said")
	}
	for _, want := range []string{"build/lite costs 11 tokens, 1 more than its budget of 10", "build/functions costs 51 tokens",
		"other, several companies costs 51 tokens, 1 more than its budget of 50"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %v", want, err)
		}
	}
	if n := strings.Count(err.Error(), "\n"); n != 4 { // those past it for one company are past it for several
		t.Errorf("want five lines named: %v", err)
	}
}
