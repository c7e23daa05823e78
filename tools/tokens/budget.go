package main

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed budgets.yaml
var budgetsFile []byte

// budgets are the most tokens by list.
type budgets map[string]int

func readBudgets() (budgets, error) {
	var b budgets
	if err := yaml.Unmarshal(budgetsFile, &b); err != nil {
		return nil, fmt.Errorf("read budgets.yaml: %w", err)
	}
	if b["profile"] == 0 {
		return nil, errors.New("budgets.yaml: profile is missing")
	}
	return b, nil
}

// of gives a list's budget: its own, that of its profile's name, or any profile's.
func (b budgets) of(list string) int {
	_, profile, _ := strings.Cut(list, "/")
	for _, key := range []string{list, profile, "profile"} {
		if n := b[key]; n > 0 {
			return n
		}
	}
	return 0
}

// severalCompanies ends the name of a row for links with several companies.
const severalCompanies = ", several companies"

// ofSeveral gives a list's budget where the link has several companies.
func (b budgets) ofSeveral(list string) int {
	return cmp.Or(b[list+severalCompanies], b.of(list))
}

// check names every list that costs more than its budget, for either sort of link.
func (b budgets) check(counts []count) error {
	var past []error
	for _, c := range counts {
		for _, one := range []struct {
			list       string
			cost, most int
		}{
			{c.List, c.After, b.of(c.List)},
			{c.List + severalCompanies, c.After + c.Choice, b.ofSeveral(c.List)},
		} {
			if one.cost > one.most {
				past = append(past, fmt.Errorf("%s costs %d tokens, %d more than its budget of %d", one.list, one.cost, one.cost-one.most, one.most))
			}
		}
	}
	return errors.Join(past...)
}
