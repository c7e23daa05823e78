package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// depth is how many results are asked for: the measures look at ten at most.
const depth = 10

type question struct{ ID, Corpus, Query string }

func (o options) run(system string) string { return filepath.Join(o.out, system+".jsonl") }

func readQuestions(file string) ([]question, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []question
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		if len(scanner.Bytes()) == 0 {
			continue
		}
		var q question
		if err := json.Unmarshal(scanner.Bytes(), &q); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, q)
	}
	return out, scanner.Err()
}

// writeRun asks every question and writes a line for each, as the scorer reads them.
func writeRun(file string, questions []question, ask func(question) ([]string, error)) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	encoder := json.NewEncoder(f)
	for _, q := range questions {
		ranked, err := ask(q)
		if err != nil {
			return fmt.Errorf("%s: %w", q.ID, err)
		}
		if ranked == nil {
			ranked = []string{}
		}
		if err := encoder.Encode(map[string]any{"id": q.ID, "ranked": ranked}); err != nil {
			return err
		}
	}
	return f.Close()
}
