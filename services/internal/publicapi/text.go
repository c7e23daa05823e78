package publicapi

import (
	"io/fs"
	"regexp"
	"testing"
)

// toolName leaves clients room for a prefix of 20 characters (they allow 64).
var toolName = regexp.MustCompile(`^[a-z][a-z_]{2,43}$`)

// Characters of a tool's description: fewer say nothing, more crowd the list.
const (
	shortest    = 40
	longestText = 320
)

// CheckText reports names that clients or readers stumble over and
// descriptions that do not fit a list of tools.
func CheckText(t testing.TB, documents fs.FS) {
	t.Helper()
	seen := map[string]string{}
	for _, op := range Operations(t, documents) {
		if !toolName.MatchString(op.Name()) {
			t.Errorf("%q is no good tool name", op.Name())
		}
		if other, twice := seen[op.Name()]; twice {
			t.Errorf("%s is the name of both %s and %s %s", op.Name(), other, op.Method, op.Path)
		}
		seen[op.Name()] = op.Method + " " + op.Path
		about, _ := op.Spec["description"].(string)
		if n := len([]rune(about)); n < shortest || n > longestText {
			t.Errorf("%s: the description has %d characters, want %d to %d", op.Name(), n, shortest, longestText)
		}
		if summary, _ := op.Spec["summary"].(string); summary == "" {
			t.Errorf("%s has no summary", op.Name())
		}
	}
}
