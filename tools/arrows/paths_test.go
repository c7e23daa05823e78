package arrows

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// link is a Markdown link to a file; quoted is a path of ours between backquotes.
var (
	link   = regexp.MustCompile(`\]\(([^)#:]+)\)`)
	quoted = regexp.MustCompile("`((?:pkg|services|proto|tools|docs|test)/[A-Za-z0-9_./-]*)`")
)

// TestDocumentsNameWhatExists follows every link and every quoted path of the
// Markdown files. A path with a placeholder (<area>, *) is no path.
func TestDocumentsNameWhatExists(t *testing.T) {
	top := filepath.Join("..", "..")
	for _, file := range markdown(t, top) {
		text, err := os.ReadFile(filepath.Join(top, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			mustExist(t, file, filepath.Join(top, filepath.Dir(file), m[1]), m[1])
		}
		for _, m := range quoted.FindAllStringSubmatch(string(text), -1) {
			mustExist(t, file, filepath.Join(top, strings.TrimSuffix(m[1], "...")), m[1])
		}
	}
}

func mustExist(t *testing.T, file, path, named string) {
	t.Helper()
	if named == "tools/call" || named == "tools/list" {
		return // MCP methods, not our folder
	}
	if _, err := os.Stat(path); err != nil && !isOneLevelUp(file, named) {
		t.Errorf("%s names %s, which does not exist", file, named)
	}
}

// isOneLevelUp: a service's README may write paths from its own folder.
func isOneLevelUp(file, named string) bool {
	_, err := os.Stat(filepath.Join("..", "..", filepath.Dir(file), named))
	return err == nil
}

// markdown lists the Markdown files that git knows.
func markdown(t *testing.T, top string) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "*.md")
	cmd.Dir = top
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("SKIPPED: this is no git checkout: %v %s", err, stderr.String())
	}
	files := strings.Fields(string(out))
	if len(files) == 0 {
		t.Fatal(fs.ErrNotExist)
	}
	return files
}
