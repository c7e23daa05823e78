package host

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/identity"
)

//go:embed pages
var pageFiles embed.FS

// pages are what people and tools may read without authentication. They are the
// same for everybody and made once: a page in each language, and tools.json.
type pages struct {
	front, docs localized
	tools       static
}

// static is a finished answer.
type static struct {
	mediaType string
	body      []byte
	etag      string
	csp       string // Content-Security-Policy; "" for what is no page
	language  string // of a page; "" for what is none
}

func newStatic(mediaType string, body []byte, csp string) static {
	sum := sha256.Sum256(body)
	return static{mediaType: mediaType, body: body, csp: csp, etag: `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`}
}

func (s static) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", s.mediaType)
	h.Set("Cache-Control", "public, max-age=60")
	h.Set("ETag", s.etag)
	if s.csp != "" {
		h.Set("Content-Security-Policy", s.csp)
		h.Set("Referrer-Policy", "no-referrer")
	}
	if s.language != "" {
		h.Set("Content-Language", s.language)
		h.Set("Vary", "Accept-Language")
	}
	if strings.Contains(r.Header.Get("If-None-Match"), s.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(s.body) // the client going away is no fault of ours
}

// page is what every page shows around its own content.
type page struct {
	Heading, Name, Version, Summary, Endpoint string

	Style    template.CSS
	Script   template.JS
	Examples []Example
	Clients  []client
	Profiles []profileRow
	Groups   []toolGroup
	Never    []neverRow
}

type profileRow struct {
	Path          string
	Summary       sentence
	Tools, Tokens int
}

type neverRow struct{ Name, Why string }

// renderPages makes every page once the tools are known.
func (g *Gate) renderPages() error {
	style, err := pageFiles.ReadFile("pages/style.css")
	if err != nil {
		return fmt.Errorf("read the style of the pages: %w", err)
	}
	script, err := pageFiles.ReadFile("pages/docs.js")
	if err != nil {
		return fmt.Errorf("read the script of the pages: %w", err)
	}
	content, err := g.pageContent(template.CSS(style), template.JS(script))
	if err != nil {
		return err
	}
	languages, err := pageLanguages(g.cfg.Locale)
	if err != nil {
		return err
	}
	csp := pagePolicy(style, script)
	for name, target := range map[string]*localized{"front.html": &g.pages.front, "docs.html": &g.pages.docs} {
		if *target, err = localize(languages, name, content, csp); err != nil {
			return fmt.Errorf("make the page %s: %w", name, err)
		}
	}
	tools, err := g.renderTools()
	if err != nil {
		return fmt.Errorf("make %s: %w", toolsPath, err)
	}
	g.pages.tools = newStatic("application/json", tools, "")
	return nil
}

// pagePolicy allows the one inline style sheet, the one inline script and nothing else.
func pagePolicy(style, script []byte) string {
	source := func(text []byte) string {
		sum := sha256.Sum256(text)
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; style-src " + source(style) + "; script-src " + source(script) +
		"; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
}

func (g *Gate) pageContent(style template.CSS, script template.JS) (*page, error) {
	content := &page{
		Heading: g.area.Title, Name: g.area.Name, Version: g.area.Version, Summary: g.area.Summary,
		Endpoint: g.at(mcpPath),
		Style:    style, Script: script, Examples: g.area.Examples,
		Clients: clientsFor(g.area.Name+"-mcp", g.at(mcpPath)),
		Groups:  g.toolGroups(),
	}
	for _, p := range append([]Profile{{}}, g.named()...) {
		row, err := g.profileRow(g.profiles[p.Name])
		if err != nil {
			return nil, err
		}
		content.Profiles = append(content.Profiles, row)
	}
	for _, t := range g.never {
		content.Never = append(content.Never, neverRow{t.Name, t.Never})
	}
	return content, nil
}

// profileRow counts what a client reads when it lists the profile's tools, in
// tokens of about four characters.
func (g *Gate) profileRow(p *profile) (profileRow, error) {
	everything := &identity.Principal{Person: identity.Person{SystemAdmin: true}}
	list, err := g.buildList(p, everything, legacy)
	if err != nil {
		return profileRow{}, err
	}
	summary := catalogText(p.Summary)
	if p.Name == "" {
		summary = pageText("Every tool of this host.")
	}
	return profileRow{Path: p.path, Summary: summary, Tools: len(p.tools), Tokens: (len(list)/4 + 50) / 100 * 100}, nil
}

func (g *Gate) frontPage(w http.ResponseWriter, r *http.Request) { g.pages.front.serve(w, r) }
func (g *Gate) docsPage(w http.ResponseWriter, r *http.Request)  { g.pages.docs.serve(w, r) }
