package docs

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/services/catalogs"
	"github.com/comporta-mcp/comporta/services/docs/handbook"
	"github.com/comporta-mcp/comporta/services/docs/internal/page"
	"github.com/comporta-mcp/comporta/services/docs/internal/reader"
	"github.com/comporta-mcp/comporta/services/docs/manual"
)

// builtIn are the pages that every docs-mcp has: the handbook, the user's manual and a page for each
// tool of every area's documents.
func builtIn() ([]page.Page, error) {
	var pages []page.Page
	for _, part := range []struct {
		files         fs.FS
		pattern       string
		below, inLang string
	}{
		{handbook.Pages, "*.md", "handbook", "en"},
		{manual.Pages, "en/*.md", "manual", "en"},
		{manual.Pages, "pt-BR/*.md", "manual", "pt-br"},
	} {
		read, err := markdownPages(part.files, part.pattern, part.below, part.inLang)
		if err != nil {
			return nil, err
		}
		pages = append(pages, read...)
	}
	documents := catalogs.Documents()
	for _, area := range slices.Sorted(maps.Keys(documents)) {
		tools, err := toolPages(area, documents[area])
		if err != nil {
			return nil, fmt.Errorf("the tools of %s: %w", area, err)
		}
		pages = append(pages, tools...)
	}
	return pages, nil
}

// markdownPages reads Markdown files of one language; they stand below a folder.
func markdownPages(files fs.FS, pattern, below, lang string) ([]page.Page, error) {
	names, err := fs.Glob(files, pattern)
	if err != nil {
		return nil, err
	}
	var pages []page.Page
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		read, err := reader.Read(reader.Markdown, below+"/"+name, lang, data)
		if err != nil {
			return nil, err
		}
		for i := range read { // a page of the manual has the same name in each language
			read[i].Twin = below + "/" + path.Base(name)
		}
		pages = append(pages, read...)
	}
	return pages, nil
}

func toolPages(area string, documents fs.FS) ([]page.Page, error) {
	if names, err := fs.Glob(documents, "*.yaml"); err != nil || len(names) == 0 {
		return nil, err // an area whose tools are all written by hand
	}
	loaded, err := catalog.Load(documents, catalog.Options{Area: area})
	if err != nil {
		return nil, err
	}
	var pages []page.Page
	for _, t := range loaded.Tools() {
		pages = append(pages, toolPage(area, t))
	}
	return pages, nil
}

// toolPage tells what an agent needs to choose the tool and the server.
func toolPage(area string, t *catalog.Tool) page.Page {
	lines := []string{t.Description, "", "Tool `" + t.Name + "` of the server " + area + "-mcp, profiles: " + strings.Join(t.Profiles, ", ") + ". It " + effects[t.Effect] + "."}
	p := page.Page{
		Path: "tools/" + area + "/" + t.Name, Lang: "en", Title: t.Name + ": " + t.Title, Summary: t.Description,
		Keywords: []string{area, t.Root},
		Passages: []page.Passage{{Text: strings.Join(append(lines, argumentLines(t)...), "\n")}},
	}
	if t.Binding != nil {
		p.Keywords = append(p.Keywords, reader.Doing(t.Binding.Method, t.Binding.Path, t.Name)...)
	}
	return p
}

var effects = map[catalog.Effect]string{
	catalog.Read: "reads only", catalog.Write: "writes", catalog.Destructive: "writes, and may destroy",
}

func argumentLines(t *catalog.Tool) []string {
	var schema struct {
		Properties map[string]struct {
			Description string `json:"description"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if t.Input == nil || json.Unmarshal(t.Input.Listed, &schema) != nil {
		return nil
	}
	lines := []string{"", "Arguments:", ""}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		l := "- `" + name + "`"
		if slices.Contains(schema.Required, name) {
			l += " (required)"
		}
		if d := schema.Properties[name].Description; d != "" {
			l += ": " + d
		}
		lines = append(lines, l)
	}
	return lines
}
