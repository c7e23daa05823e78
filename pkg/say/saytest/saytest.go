// Package saytest tells what the translations of pages lack. A catalogue is
// catalog/<language>.yaml, from a page's English text to its translation.
package saytest

import (
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// arguments are what a translation must have in the same order: verbs, and the #
// that a script replaces.
var arguments = regexp.MustCompile(`%[a-z]|#`)

// Complete reports each text that files' catalogues lack or translate with other
// arguments or another end, and what they translate that no page says. said are the
// texts, each with the file that says it.
func Complete(t *testing.T, files fs.FS, said map[string]string) {
	t.Helper()
	for _, tag := range []string{"pt-BR", "es"} {
		data, err := fs.ReadFile(files, "catalog/"+tag+".yaml")
		if err != nil {
			t.Fatal(err)
		}
		translations := map[string]string{}
		if err := yaml.Unmarshal(data, &translations); err != nil {
			t.Fatal(err)
		}
		for _, text := range slices.Sorted(maps.Keys(said)) {
			translated := translations[text]
			switch {
			case translated == "":
				t.Errorf("%s says %q, which catalog/%s.yaml does not", said[text], text, tag)
			case !slices.Equal(arguments.FindAllString(text, -1), arguments.FindAllString(translated, -1)):
				t.Errorf("catalog/%s.yaml: other arguments than %q: %q", tag, text, translated)
			case strings.HasSuffix(text, ".") != strings.HasSuffix(translated, "."):
				t.Errorf("catalog/%s.yaml: it ends otherwise than %q: %q", tag, text, translated)
			}
		}
		for text := range translations {
			if said[text] == "" {
				t.Errorf("catalog/%s.yaml: no page says this any more: %q", tag, text)
			}
		}
	}
}
