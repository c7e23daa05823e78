package page

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
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

var verbs = regexp.MustCompile(`%[a-z]`)

func TestEveryTextIsTranslated(t *testing.T) {
	all := texts(t)
	for _, tag := range []string{"pt-BR", "es"} {
		data, err := files.ReadFile("catalog/" + tag + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		translations := map[string]string{}
		if err := yaml.Unmarshal(data, &translations); err != nil {
			t.Fatal(err)
		}
		for _, text := range slices.Sorted(maps.Keys(all)) {
			translated := translations[text]
			switch {
			case translated == "":
				t.Errorf("%s says %q, which catalog/%s.yaml does not", all[text], text, tag)
			case !slices.Equal(verbs.FindAllString(text, -1), verbs.FindAllString(translated, -1)):
				t.Errorf("catalog/%s.yaml: other arguments than %q: %q", tag, text, translated)
			case strings.HasSuffix(text, ".") != strings.HasSuffix(translated, "."):
				t.Errorf("catalog/%s.yaml: it ends otherwise than %q: %q", tag, text, translated)
			}
		}
		for text := range translations {
			if all[text] == "" {
				t.Errorf("catalog/%s.yaml: no page says this any more: %q", tag, text)
			}
		}
	}
}
