// Package say owns the languages: it says a problem's sentences as the caller
// reads them. The English format in the code is the key of every translation
// (catalog/*.yaml); a sentence without one is said in English.
package say

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/language"

	"github.com/comporta-mcp/comporta/pkg/problem"
)

//go:embed catalog/*.yaml
var files embed.FS

// Speaker says sentences in one language. It is read-only and shared.
type Speaker struct {
	// Tag is the language: "en", "pt-BR" or "es".
	Tag       string
	sentences map[string]string
}

// Say is s in the speaker's language.
func (s *Speaker) Say(sentence problem.Sentence) string {
	if translated, ok := s.sentences[sentence.Format]; ok {
		sentence.Format = translated
	}
	for i, arg := range sentence.Args {
		if inner, ok := arg.(problem.Sentence); ok {
			sentence.Args = slices.Clone(sentence.Args) // they are the problem's own
			sentence.Args[i] = s.Say(inner)
		}
	}
	return sentence.String()
}

// Text is a sentence without arguments in the speaker's language, by its English
// text; a text that is none stays as it is.
func (s *Speaker) Text(english string) string {
	if translated, ok := s.sentences[english]; ok {
		return translated
	}
	return english
}

// Languages chooses speakers. The first tag is the one for callers that name no
// language that is known.
type Languages struct {
	matcher  language.Matcher
	speakers []*Speaker
}

// Load makes the languages with locale ("en", "pt-BR", "es") as the default.
func Load(locale string) (*Languages, error) { return LoadFrom(files, locale) }

// LoadFrom is Load with the translations of another place: the files
// catalog/<language>.yaml below its root.
func LoadFrom(files fs.FS, locale string) (*Languages, error) {
	known := []*Speaker{{Tag: "en"}}
	entries, err := fs.ReadDir(files, "catalog")
	if err != nil {
		return nil, fmt.Errorf("read the translations: %w", err)
	}
	for _, entry := range entries {
		sentences, err := readFrom(files, path.Join("catalog", entry.Name()))
		if err != nil {
			return nil, err
		}
		known = append(known, &Speaker{Tag: strings.TrimSuffix(entry.Name(), ".yaml"), sentences: sentences})
	}
	l := &Languages{}
	for _, first := range []bool{true, false} {
		for _, speaker := range known {
			if (speaker.Tag == locale) == first {
				l.speakers = append(l.speakers, speaker)
			}
		}
	}
	if l.speakers[0].Tag != locale {
		return nil, fmt.Errorf("no translations for %q; there are en, es and pt-BR", locale)
	}
	tags := make([]language.Tag, len(l.speakers))
	for i, speaker := range l.speakers {
		tags[i] = language.MustParse(speaker.Tag)
	}
	l.matcher = language.NewMatcher(tags)
	return l, nil
}

// For is the speaker for a request's Accept-Language header.
func (l *Languages) For(acceptLanguage string) *Speaker {
	if acceptLanguage == "" {
		return l.speakers[0]
	}
	wanted, _, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil {
		return l.speakers[0]
	}
	_, index, confidence := l.matcher.Match(wanted...)
	if confidence == language.No {
		return l.speakers[0]
	}
	return l.speakers[index]
}

// All are the speakers, the default one first.
func (l *Languages) All() []*Speaker { return l.speakers }

func read(name string) (map[string]string, error) { return readFrom(files, name) }

// readFrom reads one translation file: a map from the English format to its translation.
func readFrom(files fs.FS, name string) (map[string]string, error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, fmt.Errorf("read the translations: %w", err)
	}
	sentences := map[string]string{}
	if err := yaml.Unmarshal(data, &sentences); err != nil {
		return nil, fmt.Errorf("translations %s: %w", name, err)
	}
	return sentences, nil
}
