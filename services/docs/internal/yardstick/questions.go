package yardstick

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// Question is a line of a relevance file.
type Question struct {
	ID       string         `json:"id"`
	Corpus   string         `json:"corpus"`
	Lang     string         `json:"lang"`
	Query    string         `json:"query"`
	Relevant map[string]int `json:"relevant"` // by document: 2 answers, 1 is related
}

// Questions reads a relevance file.
func Questions(file string) ([]Question, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []Question
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		if len(scanner.Bytes()) == 0 {
			continue
		}
		var q Question
		if err := json.Unmarshal(scanner.Bytes(), &q); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, q)
	}
	return out, scanner.Err()
}
