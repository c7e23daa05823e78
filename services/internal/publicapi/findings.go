package publicapi

import (
	"fmt"
	"slices"
)

// faults are sentences about one operation.
type faults []string

func (f *faults) unequal(what string, got, want any) {
	if text(got) != text(want) {
		*f = append(*f, fmt.Sprintf("%s: %s, want %s", what, text(got), text(want)))
	}
}

func (f *faults) missing(what string, got, want []string) {
	for _, one := range want {
		if !slices.Contains(got, one) {
			*f = append(*f, fmt.Sprintf("%s: %q, want %q in it", what, got, one))
		}
	}
}

// texts is a YAML list of strings.
func texts(value any) []string {
	var all []string
	for _, one := range list(value) {
		all = append(all, fmt.Sprint(one))
	}
	return all
}
