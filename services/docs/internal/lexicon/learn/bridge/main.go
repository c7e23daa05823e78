// Command bridge learns which words translate which from a folder of pages and a
// folder of their translations, and prints the lines of a data file of lexicon:
//
//	bridge FOLDER-pt-br FOLDER-en > pt-en.learned.txt
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/comporta-mcp/comporta/services/docs/internal/corpus"
	"github.com/comporta-mcp/comporta/services/docs/internal/lexicon/learn"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bridge:", err)
		os.Exit(1)
	}
}

func run(folders []string) error {
	if len(folders) != 2 {
		return fmt.Errorf("two folders are needed: Portuguese pages, English pages")
	}
	var read [2]corpus.Pages
	for i, lang := range []string{"pt-br", "en"} {
		var err error
		source := corpus.Source{Path: folders[i], Lang: lang, Include: []string{"**/*.mdx", "**/*.md"}}
		if read[i], err = (&corpus.Fetcher{}).Fetch(context.Background(), source); err != nil {
			return err
		}
	}
	// Rarer words and smaller shares are mostly noise: both were looked through.
	pairs := learn.Pages(read[0].Pages, read[1].Pages, learn.Options{Rounds: 6, MinCount: 3, MinShare: 0.12, Meanings: 4})
	for _, p := range pairs {
		fmt.Printf("%s = %s %.2f\n", p.From, p.To, p.Weight)
	}
	return nil
}
