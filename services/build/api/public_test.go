package api_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// publicDocument is the platform's own OpenAPI document, which is not part of
// this repository.
var publicDocument = filepath.Join("..", "..", "..", "..", "shared", "openapi", "azion-v4.yaml")

// deviation is a place where we say something else than the public document,
// and why.
type deviation struct {
	place *regexp.Regexp
	why   string
}

var deviations = []deviation{
	{
		regexp.MustCompile(`\.variable\.(enum|pattern|x-extensible-enum): `),
		"the public enum spells variables $(uri) and holds placeholders such as $(arg_<name>), while its prose and " +
			"every example send ${uri}: as a closed enum it would refuse each real value, so ours is open",
	},
	{
		regexp.MustCompile(`^retrieve_application_request_rule\.answers\.200\..*\.behaviors\.`),
		"the public document answers a request rule with the response phase's behaviors, which lack deny and others; " +
			"its list and its update of the same rule answer the request phase's",
	},
}

func TestFactsEqualThePublicDocument(t *testing.T) {
	public := readPublic(t)
	own := map[string]operation{}
	for _, op := range ownOperations(t) {
		own[op.name()] = op
	}
	used := make([]int, len(deviations))
	for _, theirs := range public.operations(ofThisArea) {
		ours, ok := own[theirs.name()]
		delete(own, theirs.name())
		if !ok || ours.path != theirs.path || ours.method != theirs.method {
			t.Errorf("%s %s (%s) is missing", theirs.method, theirs.path, theirs.name())
			continue
		}
		for _, line := range differences(theirs.name(), operationFacts(theirs), operationFacts(ours)) {
			if i := deviates(line); i >= 0 {
				used[i]++
				continue
			}
			t.Error(line)
		}
	}
	for name := range own {
		t.Errorf("%s: the public document has no such operation", name)
	}
	for i, d := range deviations {
		if used[i] == 0 {
			t.Errorf("no difference needs this deviation any more, delete it: %s", d.why)
		}
	}
}

func readPublic(t *testing.T) *document {
	t.Helper()
	text, err := os.ReadFile(publicDocument)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("SKIPPED: the platform's public OpenAPI document is not at %s, so our documents were not held against it", publicDocument)
	}
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, "public", text)
}

func ofThisArea(path string) bool {
	for _, root := range []string{"/workspace/applications", "/workspace/functions", "/workspace/workloads"} {
		if path == root || strings.HasPrefix(path, root+"/") {
			return true
		}
	}
	return false
}

// deviates is the index of the deviation that explains a difference, or -1.
func deviates(line string) int {
	for i, d := range deviations {
		if d.place.MatchString(line) {
			return i
		}
	}
	return -1
}

func TestADifferenceIsFound(t *testing.T) {
	public := readPublic(t)
	changed := func(change func(schema object)) []string {
		op := ownOperation(t, "create_application")
		change(op.doc.root["components"].(object)["schemas"].(object)["ApplicationNew"].(object))
		for _, theirs := range public.operations(ofThisArea) {
			if theirs.name() == op.name() {
				return differences(op.name(), operationFacts(theirs), operationFacts(op))
			}
		}
		t.Fatal("the public document has no create_application")
		return nil
	}
	for name, change := range map[string]func(object){
		"a field too many":             func(s object) { s["properties"].(object)["extra"] = object{"type": "string"} },
		"a field too few":              func(s object) { delete(s["properties"].(object), "debug") },
		"another limit":                func(s object) { s["properties"].(object)["name"].(object)["maxLength"] = 101 },
		"another default":              func(s object) { s["properties"].(object)["active"].(object)["default"] = false },
		"a field that may be left out": func(s object) { delete(s, "required") },
		"an open object":               func(s object) { delete(s, "additionalProperties") },
	} {
		t.Run(name, func(t *testing.T) {
			if got := changed(change); len(got) != 1 {
				t.Errorf("differences: %q, want one", got)
			}
		})
	}
}

func ownOperation(t *testing.T, name string) operation {
	t.Helper()
	for _, op := range ownOperations(t) {
		if op.name() == name {
			return op
		}
	}
	t.Fatalf("there is no %s", name)
	return operation{}
}
