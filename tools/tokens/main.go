// Command tokens counts what a client's model pays for the tool lists: tokens of
// o200k_base over the whole `tools` array of tools/list, every key included, as a
// system administrator sees it whose link may write. It prints a table per area
// and profile, before (the same tools with their complete schemas, references
// resolved) and after, beside the budgets of budgets.yaml; past one it fails. What
// a link with several companies pays, for empresa_id on each tool, has columns of
// its own. It is a tool of the developers: no binary of the product
// links it.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	counts, err := countAll(areas)
	if err != nil {
		return err
	}
	limits, err := readBudgets()
	if err != nil {
		return err
	}
	if err := printTable(out, counts, limits); err != nil {
		return err
	}
	return limits.check(counts)
}
