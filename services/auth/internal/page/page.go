// Package page owns how auth's pages look and speak: the frame around each, the
// one style sheet, the three languages, and the headers that keep a page from
// being framed, kept or made to load anything. What stands on a page is for the
// package that serves it.
package page

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/pkg/say"
)

//go:embed templates static catalog
var files embed.FS

// Sentence is a text of a page: an English format, which is the key of its
// translations in catalog/, and what it speaks of.
type Sentence = problem.Sentence

// Text makes a sentence. A test finds what has no translation.
func Text(format string, args ...any) Sentence { return Sentence{Format: format, Args: args} }

// Pages renders pages. It is read-only once made.
type Pages struct {
	languages *say.Languages
	sets      map[string]map[string]*template.Template // by language, then page
	log       *slog.Logger
	version   string
	base      string // path of the issuer, without a slash at its end
}

// New reads the templates. base is the path below which the pages stand.
func New(locale, version, base string, log *slog.Logger) (*Pages, error) {
	languages, err := say.LoadFrom(files, cmp.Or(locale, "en"))
	if err != nil {
		return nil, err
	}
	p := &Pages{languages: languages, sets: map[string]map[string]*template.Template{}, log: log, version: version, base: base}
	for _, speaker := range languages.All() {
		if p.sets[speaker.Tag], err = p.templates(speaker); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// templates makes each page with the frame and the parts around it, in one language.
func (p *Pages) templates(speaker *say.Speaker) (map[string]*template.Template, error) {
	frame, err := template.New("frame").Funcs(p.funcs(speaker)).ParseFS(files, "templates/frame/*.html")
	if err != nil {
		return nil, fmt.Errorf("read the pages: %w", err)
	}
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		return nil, err
	}
	set := map[string]*template.Template{}
	for _, name := range names {
		own, err := frame.Clone()
		if err == nil {
			_, err = own.ParseFS(files, name)
		}
		if err != nil {
			return nil, fmt.Errorf("read the page %s: %w", name, err)
		}
		set[strings.TrimSuffix(path.Base(name), ".html")] = own
	}
	return set, nil
}

func (p *Pages) funcs(speaker *say.Speaker) template.FuncMap {
	numbers := message.NewPrinter(language.MustParse(speaker.Tag))
	return template.FuncMap{
		"say":   func(format string, args ...any) string { return speaker.Say(Text(format, args...)) },
		"tell":  func(s Sentence) string { return speaker.Say(s) },
		"date":  func(t time.Time) template.HTML { return date(speaker.Tag, t) },
		"clock": clock,
		// number groups the digits of a whole number.
		"number": func(n any) string { return numbers.Sprintf("%d", n) },
		"base":   func() string { return p.base },
	}
}

// content is what a template gets.
type content struct {
	Language, Version string
	Data              any
}

// Show answers with a page. formTo are further origins that a form's answer may
// lead to.
func (p *Pages) Show(w http.ResponseWriter, r *http.Request, status int, name string, data any, formTo ...string) {
	speaker := p.languages.For(r.Header.Get("Accept-Language"))
	var out bytes.Buffer
	err := p.sets[speaker.Tag][name].ExecuteTemplate(&out, "page", content{Language: speaker.Tag, Version: p.version, Data: data})
	if err != nil {
		p.log.ErrorContext(r.Context(), "a page could not be made", "page", name, "error", err)
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", speaker.Tag)
	h.Set("Vary", "Accept-Language, Cookie")
	h.Set("Content-Security-Policy", policy(formTo))
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // the client going away is no fault of ours
}

// policy lets a page load its own style and script, and its forms be sent to us.
func policy(formTo []string) string {
	return "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action " +
		strings.Join(append([]string{"'self'"}, formTo...), " ")
}

// Problem is a page that says what went wrong and what to do.
type Problem struct{ Title, Text, ToDo Sentence }

// Fail answers with a problem.
func (p *Pages) Fail(w http.ResponseWriter, r *http.Request, status int, problem Problem) {
	p.Show(w, r, status, "problem", problem)
}

// Down answers when something of ours cannot be asked.
func (p *Pages) Down(w http.ResponseWriter, r *http.Request, err error) {
	p.log.WarnContext(r.Context(), "a page could not be answered", "path", r.Pattern, "error", err)
	w.Header().Set("Retry-After", "2")
	p.Fail(w, r, http.StatusServiceUnavailable, Problem{
		Title: Text("Not available right now"),
		Text:  Text("Something that this page needs cannot be asked at the moment."),
		ToDo:  Text("Wait a moment, then load the page again."),
	})
}

// Static serves the style sheet, the script and the mark.
func (p *Pages) Static() http.Handler {
	below, err := fs.Sub(files, "static")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	serve := http.StripPrefix(p.base+"/static/", http.FileServerFS(below))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=3600")
		serve.ServeHTTP(w, r)
	})
}

// Icon serves the mark as the browser's icon.
func (p *Pages) Icon(w http.ResponseWriter, r *http.Request) {
	http.ServeFileFS(w, r, files, "static/mark.svg")
}

// clock says a time of day in UTC.
func clock(t time.Time) template.HTML {
	t = t.UTC()
	return template.HTML(fmt.Sprintf(`<time datetime="%s">%s</time>`, t.Format(time.RFC3339), t.Format("15:04 UTC")))
}

// date says a day as the language writes it, with the exact time as its title.
func date(tag string, t time.Time) template.HTML {
	layout := "02/01/2006"
	if tag == "en" {
		layout = "2 Jan 2006"
	}
	t = t.UTC()
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`,
		t.Format(time.RFC3339), t.Format("2006-01-02 15:04:05 UTC"), t.Format(layout)))
}
