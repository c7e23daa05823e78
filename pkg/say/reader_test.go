package say

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSentencesAreFoundInTheSource(t *testing.T) {
	const source = `package sample

import "github.com/comporta-mcp/comporta/pkg/problem"

const packaged = "a constant of the package"

var advice = map[problem.Code]string{problem.Interno: "of a map", problem.Conflicto: "another " + "of a map"}

var always = problem.New(problem.Interno, "a variable of the package")

func direct() error {
	const own = "a constant of the function"
	return problem.New(problem.Interno, own).ToDo("a " + ("joined") + " text")
}

func hands(code problem.Code, on string, args ...any) *problem.Problem {
	return problem.New(code, packaged).ToDo(on, args...)
}

func (thing) further(what string) error { return hands(problem.Interno, what) }

func uses() { hands(problem.Interno, "handed on"); thing{}.further("handed on twice") }

func literals(c problem.Code) any {
	return []any{problem.Sentence{Format: "a literal by name"}, problem.Sentence{"a literal by place", nil}, problem.Sentence{Format: advice[c]}}
}

func other() { errors.New("no sentence"); fmt.Errorf("no sentence either") }
`
	const vague = `package vague

func vague(err error) error {
	text := err.Error()
	return problem.New(problem.Interno, text).ToDo(err.Error())
}
`
	dir := t.TempDir()
	for name, text := range map[string]string{
		"sample/sample.go": source, "sample/inner/vague.go": vague,
		"sample/sample_test.go": "package sample\n\nvar _ = problem.New(problem.Interno, \"of a test\")\n",
		"testdata/broken.go":    "this is no Go",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found := sentencesOf(t, dir)
	want := []string{
		"a constant of the function", "a constant of the package", "a joined text", "a literal by name", "a literal by place",
		"a variable of the package", "another of a map", "handed on", "handed on twice", "of a map",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(found.said))); diff != "" {
		t.Error(diff)
	}
	at := filepath.Join(dir, "sample/inner/vague.go:5")
	if diff := cmp.Diff([]string{at, at}, found.vague); diff != "" {
		t.Error(diff)
	}
}
