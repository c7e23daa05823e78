// Package reader turns the files of a corpus into pages: Markdown and MDX,
// OpenAPI documents, and source code. It reads what it is given and nothing
// else: where files come from and which reader takes which is corpus's business.
package reader

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/services/docs/internal/analysis"
	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// MaxFile is the largest file in bytes that is read. The largest published API
// description that the shipped corpora name has 0.7 MB.
const MaxFile = 8 << 20

// Bounds in characters of what stands beside the text of a page. Longer ones are
// mistakes, and would fill an answer. The longest in Azion's documentation have
// 104 (a heading) and 1680.
const (
	maxTitle   = 300
	maxSummary = 2000
)

// short cuts a text that is too long.
func short(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}

// Kind names a reader.
type Kind string

// The readers.
const (
	Markdown Kind = "markdown"
	OpenAPI  Kind = "openapi"
	Code     Kind = "code"
)

// Kinds are all of them.
var Kinds = []Kind{Markdown, OpenAPI, Code}

// KindOf guesses the reader of a file by its name. YAML and JSON are code
// unless the corpus says that they are OpenAPI.
func KindOf(name string) Kind {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".mdx", ".markdown", ".txt":
		return Markdown
	}
	return Code
}

// Read makes the pages of one file. lang is the language where the file does not
// say another that is known.
func Read(kind Kind, name, lang string, data []byte) ([]page.Page, error) {
	if len(data) > MaxFile {
		return nil, fmt.Errorf("%s: it has more than %d bytes", name, MaxFile)
	}
	if slices.Contains(data, 0) {
		return nil, nil // binary
	}
	text := strings.ToValidUTF8(strings.TrimPrefix(string(data), "\ufeff"), "\ufffd")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var pages []page.Page
	switch kind {
	case Markdown:
		pages = []page.Page{readMarkdown(name, text)}
	case OpenAPI:
		operations, err := readOpenAPI(name, []byte(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		pages = operations
	case Code:
		pages = []page.Page{readCode(name, text)}
	default:
		return nil, fmt.Errorf("%s: no reader %q", name, kind)
	}
	for i := range pages {
		pages[i].Path = name
		pages[i].Title, pages[i].Summary = short(pages[i].Title, maxTitle), short(pages[i].Summary, maxSummary)
		if _, known := analysis.Named(pages[i].Lang); !known {
			pages[i].Lang = lang
		}
	}
	return pages, nil
}
