package host

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/say/saytest"
)

// saidOnPages are the places where a page's own text stands: in templates, and in code.
var saidOnPages = map[string]*regexp.Regexp{
	"pages/*.html": regexp.MustCompile(`\bsay ("(?:[^"\\]|\\.)*")`),
	"*.go":         regexp.MustCompile(`\bpageText\(("(?:[^"\\]|\\.)*")`),
}

func textsOfPages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for pattern, said := range saidOnPages {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range said.FindAllSubmatch(data, -1) {
				text, err := strconv.Unquote(string(found[1]))
				if err != nil {
					t.Fatal(err)
				}
				all[text] = name
			}
		}
	}
	if len(all) < 40 {
		t.Fatalf("only %d texts were found", len(all))
	}
	return all
}

func TestEveryTextOfThePagesIsTranslated(t *testing.T) {
	below, err := fs.Sub(pageFiles, "pages")
	if err != nil {
		t.Fatal(err)
	}
	saytest.Complete(t, below, textsOfPages(t))
}
