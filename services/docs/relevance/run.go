package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/comporta-mcp/comporta/services/docs/internal/yardstick"
)

// depth is how many results are asked for: the measures look at ten at most.
const depth = 10

func (o options) run(system string) string { return filepath.Join(o.out, system+".jsonl") }

// writeRun asks every question and writes a line for each, as the scorer reads them.
func writeRun(file string, questions []yardstick.Question, ask func(yardstick.Question) ([]string, error)) error {
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
