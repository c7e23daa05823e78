package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// dearest is how many tools of an area the table names.
const dearest = 5

func printTable(out io.Writer, counts []count, limits budgets) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "list\ttools\tbefore\tafter\tbudget\tleft\tseveral companies\tbudget\tleft\t")
	for _, c := range counts {
		most := limits.of(c.List)
		several, mostSeveral := c.After+c.Choice, limits.ofSeveral(c.List)
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n",
			c.List, c.Tools, c.Before, c.After, most, most-c.After, several, mostSeveral, mostSeveral-several)
	}
	fmt.Fprintln(w, "\t\t\t\t\t\t\t\t\t")
	fmt.Fprintln(w, "dearest tools\t\tbefore\tafter\t\t\t\t\t\t")
	for _, c := range counts {
		slices.SortStableFunc(c.Each, func(a, b cost) int { return cmp.Compare(b.After, a.After) })
		for _, tool := range c.Each[:min(dearest, len(c.Each))] {
			fmt.Fprintf(w, "%s/%s\t\t%d\t%d\t\t\t\t\t\t\n", c.List, tool.Name, tool.Before, tool.After)
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print the table: %w", err)
	}
	return nil
}
