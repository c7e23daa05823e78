package host

import (
	"bytes"
	"cmp"
	"html/template"
	"io/fs"
	"net/http"

	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/pkg/say"
)

// sentence is a text of a page: an English format, which is the key of its
// translations in pages/catalog, and what it speaks of.
type sentence = problem.Sentence

// pageText is a page's own sentence. A test finds what has no translation.
func pageText(format string, args ...any) sentence { return sentence{Format: format, Args: args} }

// asItIs is the format of what the documents say, which are in English.
const asItIs = "%s"

func catalogText(text string) sentence {
	if text == "" {
		return sentence{}
	}
	return sentence{Format: asItIs, Args: []any{text}}
}

// localized is a page in each language.
type localized struct {
	languages *say.Languages
	bodies    map[string]static
}

func (l localized) serve(w http.ResponseWriter, r *http.Request) {
	l.bodies[l.languages.For(r.Header.Get("Accept-Language")).Tag].serve(w, r)
}

func pageLanguages(locale string) (*say.Languages, error) {
	below, err := fs.Sub(pageFiles, "pages")
	if err != nil {
		return nil, err
	}
	return say.LoadFrom(below, cmp.Or(locale, "en"))
}

// localize makes a page in every language.
func localize(languages *say.Languages, name string, content *page, csp string) (localized, error) {
	l := localized{languages, map[string]static{}}
	for _, speaker := range languages.All() {
		templates, err := template.New("").Funcs(pageWords(speaker)).ParseFS(pageFiles, "pages/*.html")
		if err != nil {
			return l, err
		}
		var out bytes.Buffer
		if err := templates.ExecuteTemplate(&out, name, content); err != nil {
			return l, err
		}
		made := newStatic("text/html; charset=utf-8", out.Bytes(), csp)
		made.language = speaker.Tag
		l.bodies[speaker.Tag] = made
	}
	return l, nil
}

// pageWords is how templates speak a language. What the documents say is in
// English, and marked so on a page that is not: a screen reader reads it as such.
func pageWords(speaker *say.Speaker) template.FuncMap {
	english := template.HTMLAttr("")
	if speaker.Tag != "en" {
		english = `lang="en"`
	}
	return template.FuncMap{
		"language": func() string { return speaker.Tag },
		"say":      func(format string, args ...any) string { return speaker.Say(pageText(format, args...)) },
		"tell":     func(s sentence) string { return speaker.Say(s) },
		"english":  func() template.HTMLAttr { return english },
		"tongue": func(s sentence) template.HTMLAttr {
			if s.Format == asItIs {
				return english
			}
			return ""
		},
	}
}
