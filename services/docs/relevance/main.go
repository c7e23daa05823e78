// Command relevance asks a docs-mcp of its own the questions of a relevance file,
// over MCP, and prints how well it and two off-the-shelf indexes answered:
//
//	relevance -comporta bin/comporta -corpus FOLDER -queries FILE [-out RUN]
//	relevance -folds 5 -corpus FOLDER -queries FILE
//
// It starts bin/comporta with the corpora of the folder, writes a run file for
// each system beside -out, and scores them with the scorer in FOLDER/score. It is
// for `make relevance`; nothing that serves imports it. With -folds it tells what
// the scorer's numbers are worth on questions that took no part in setting them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/comporta-mcp/comporta/services/docs/internal/yardstick"
)

type options struct {
	comporta, corpus, queries, out string
	port, folds                    int
}

func main() {
	var o options
	flag.StringVar(&o.comporta, "comporta", "bin/comporta", "the program that is asked")
	flag.StringVar(&o.corpus, "corpus", "../shared/corpus", "folder of the corpora, with score/ in it")
	flag.StringVar(&o.queries, "queries", "../shared/corpus/relevance-dev.jsonl", "questions with their relevant documents")
	flag.StringVar(&o.out, "out", "bin/relevance", "folder for the run files")
	flag.IntVar(&o.port, "port", 18100, "first port of the program that is asked")
	flag.IntVar(&o.folds, "folds", 0, "set the scorer's numbers anew on all but one of so many folds of the questions, measure them on that one, and ask no server")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "relevance:", err)
		os.Exit(1)
	}
}

// absolute makes paths hold in the child's folder, too.
func (o *options) absolute() error {
	for _, p := range []*string{&o.comporta, &o.corpus, &o.queries, &o.out} {
		abs, err := filepath.Abs(*p)
		if err != nil {
			return err
		}
		*p = abs
	}
	return os.MkdirAll(o.out, 0o750)
}

func run(ctx context.Context, o options) error {
	if err := o.absolute(); err != nil {
		return err
	}
	for _, needed := range []string{o.queries, filepath.Join(o.corpus, "score", "main.go")} {
		if _, err := os.Stat(needed); errors.Is(err, fs.ErrNotExist) {
			fmt.Printf("relevance: skipped: %s is not here. Name the test corpora with CORPUS=<folder> and the questions with QUERIES=<file>.\n", needed)
			return nil
		}
	}
	questions, err := yardstick.Questions(o.queries)
	if err != nil {
		return err
	}
	if o.folds > 0 {
		return crossValidate(ctx, o, questions)
	}
	systems := []system{{"docs-mcp", func() error { return askDocs(ctx, o, questions) }}, {"bleve", func() error { return askBleve(o, questions) }}, {"fts5", func() error { return askFTS(o, questions) }}}
	var tables []scores
	for _, s := range systems {
		if err := s.ask(); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		table, err := score(ctx, o, s.name)
		if err != nil {
			return fmt.Errorf("score %s: %w", s.name, err)
		}
		tables = append(tables, table)
	}
	printTable(os.Stdout, systems, tables)
	return nil
}

type system struct {
	name string
	ask  func() error // writes the run file
}

func askBleve(o options, questions []yardstick.Question) error {
	documents, err := yardstick.Documents(o.corpus)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "relevance-bleve")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b, err := yardstick.NewBleve(dir, documents)
	if err != nil {
		return err
	}
	return writeRun(o.run("bleve"), questions, func(q yardstick.Question) ([]string, error) { return b.Search(q.Corpus, q.Query, depth) })
}

func askFTS(o options, questions []yardstick.Question) error {
	documents, err := yardstick.Documents(o.corpus)
	if err != nil {
		return err
	}
	f, err := yardstick.NewFTS(documents)
	if err != nil {
		return err
	}
	defer f.Close()
	return writeRun(o.run("fts5"), questions, func(q yardstick.Question) ([]string, error) { return f.Search(q.Corpus, q.Query, depth) })
}
