package publicapi

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Deviation is a place where we say something else than the public document,
// and why. Place matches a line of Differences: "create_x.body.content.…: …".
type Deviation struct {
	Place *regexp.Regexp
	Why   string
}

// Variables is what every document with rules says otherwise.
var Variables = Deviation{
	Place: regexp.MustCompile(`\.variable\.(enum|pattern|x-extensible-enum): `),
	Why: "the public enum spells variables $(uri) and holds placeholders such as $(arg_<name>), while its prose and " +
		"every example send ${uri}: as a closed enum it would refuse each real value, so ours is open",
}

// Under says whether a path is one of these roots or below one.
func Under(roots ...string) func(path string) bool {
	return func(path string) bool {
		for _, root := range roots {
			if path == root || strings.HasPrefix(path, root+"/") {
				return true
			}
		}
		return false
	}
}

// Area is what an area says of the public document.
type Area struct {
	Owns func(path string) bool // its part of the public document
	// Beyond has the paths that the platform serves and the public document lacks.
	Beyond func(path string) bool
	// Deviations explain every difference that is meant.
	Deviations []Deviation
}

// Compare reports every fact of an area's documents that differs from the
// platform's public document. A deviation that explains nothing any more is
// reported too. The test is skipped where the public document is not at hand,
// since it is no part of this repository. With -v it prints what was compared.
func Compare(t testing.TB, documents fs.FS, area Area) {
	t.Helper()
	public := Public(t, area.Owns)
	own := map[string]Operation{}
	for _, op := range Operations(t, documents) {
		own[op.Name()] = op
	}
	explained := make([][]string, len(area.Deviations))
	equal := 0
	for _, theirs := range public {
		ours, ok := own[theirs.Name()]
		delete(own, theirs.Name())
		if !ok || ours.Path != theirs.Path || ours.Method != theirs.Method {
			t.Errorf("%s %s (%s) is missing", theirs.Method, theirs.Path, theirs.Name())
			continue
		}
		unexplained := 0
		for _, line := range Differences(theirs, ours) {
			if i := deviates(area.Deviations, line); i >= 0 {
				explained[i] = append(explained[i], line)
				continue
			}
			unexplained++
			t.Error(line)
		}
		if unexplained == 0 {
			equal++
		}
	}
	beyond := checkBeyond(t, own, area)
	t.Logf("%d of %d public operations agree; %d operations beyond the public document", equal, len(public), beyond)
	reportDeviations(t, area.Deviations, explained)
}

// checkBeyond counts the operations that the public document lacks as it should.
func checkBeyond(t testing.TB, left map[string]Operation, area Area) (beyond int) {
	t.Helper()
	for name, op := range left {
		if area.Beyond == nil || !area.Beyond(op.Path) {
			t.Errorf("%s: the public document has no such operation", name)
			continue
		}
		beyond++
	}
	return beyond
}

// shownDifferences are printed for each reason: the others say the same elsewhere.
const shownDifferences = 3

func reportDeviations(t testing.TB, deviations []Deviation, explained [][]string) {
	t.Helper()
	for i, d := range deviations {
		if len(explained[i]) == 0 {
			t.Errorf("no difference needs this deviation any more, delete it: %s", d.Why)
			continue
		}
		shown := explained[i][:min(shownDifferences, len(explained[i]))]
		t.Logf("%d differences that are meant, because %s; they begin:\n  %s", len(explained[i]), d.Why, strings.Join(shown, "\n  "))
	}
}

// deviates is the index of the deviation that explains a difference, or -1.
func deviates(deviations []Deviation, line string) int {
	for i, d := range deviations {
		if d.Place.MatchString(line) {
			return i
		}
	}
	return -1
}

// Public are the operations of the platform's public document whose paths owns
// accepts; the test is skipped where that document is not at hand.
func Public(t testing.TB, owns func(path string) bool) []Operation {
	t.Helper()
	file := filepath.Join(repository(t), "..", "shared", "openapi", "azion-v4.yaml")
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("SKIPPED: the platform's public OpenAPI document is not at %s, so our documents were not held against it", file)
	}
	if err != nil {
		t.Fatal(err)
	}
	const name = "public"
	root := parse(t, name, text)
	doc := &Document{Name: name, Root: root, files: map[string]Object{name: root}}
	return doc.operations(owns)
}

// repository is the folder above the test's that has the workspace.
func repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("no folder above this test has a go.work")
	return ""
}
