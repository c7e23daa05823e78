package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// DocumentFault is one thing that is wrong with an area's documents.
type DocumentFault struct {
	File      string
	Line      int    // 0: unknown
	Operation string // "" where it belongs to none
	Key       string // "x-mcp.find.list"; "" where it belongs to none
	Message   string
}

func (f *DocumentFault) Error() string {
	out := f.File
	if f.Line > 0 {
		out += fmt.Sprintf(":%d", f.Line)
	}
	if f.Operation != "" {
		out += ": " + f.Operation
	}
	if f.Key != "" {
		out += ": " + f.Key
	}
	return out + ": " + f.Message
}

// faults collects everything that is wrong, so that one start tells it all.
type faults struct{ list []*DocumentFault }

func (f *faults) add(fault DocumentFault) {
	if !slices.ContainsFunc(f.list, func(have *DocumentFault) bool { return *have == fault }) {
		f.list = append(f.list, &fault)
	}
}

// err joins the faults in the order of the documents; nil where there are none.
func (f *faults) err() error {
	slices.SortStableFunc(f.list, func(a, b *DocumentFault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Key, b.Key))
	})
	errs := make([]error, len(f.list))
	for i, fault := range f.list {
		errs[i] = fault
	}
	return errors.Join(errs...)
}
