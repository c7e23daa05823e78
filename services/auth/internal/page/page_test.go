package page

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/say/saytest"
)

// said are the places where a page's text stands: in templates, and in code.
var said = map[string]*regexp.Regexp{
	".html": regexp.MustCompile(`\bsay ("(?:[^"\\]|\\.)*")`),
	".go":   regexp.MustCompile(`(?:\bpage\.|[^.\w])Text\(("(?:[^"\\]|\\.)*")`),
}

// texts are all texts of the pages, each with a file that says it.
func texts(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") ||
			said[filepath.Ext(name)] == nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, found := range said[filepath.Ext(name)].FindAllSubmatch(data, -1) {
			text, err := strconv.Unquote(string(found[1]))
			if err != nil {
				return err
			}
			if text != "%s" {
				all[text] = name
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("only %d texts were found", len(all))
	}
	return all
}

func TestEveryTextIsTranslated(t *testing.T) { saytest.Complete(t, files, texts(t)) }
