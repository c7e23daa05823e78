package host

import (
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
	all, verbs := textsOfPages(t), regexp.MustCompile(`%[a-z]|#`)
	for _, tag := range []string{"pt-BR", "es"} {
		data, err := pageFiles.ReadFile("pages/catalog/" + tag + ".yaml")
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
