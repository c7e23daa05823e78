// Package yardstick is what search is measured against: a folder of test corpora
// as docs-mcp's configuration, and two off-the-shelf indexes over the same
// documents, plain bleve and SQLite's FTS5. Nothing that serves imports it. The
// folder is not part of the project; its SOURCES.md says what it holds.
package yardstick

import (
	"path/filepath"

	"github.com/comporta-mcp/comporta/services/docs/internal/corpus"
	"github.com/comporta-mcp/comporta/services/docs/internal/reader"
)

// Config is the configuration of docs-mcp for the corpora in a folder. A result's
// source is the path by which the relevance files name a document.
func Config(folder string) corpus.Config {
	files := func(name, lang string, include ...string) corpus.Source {
		return corpus.Source{
			Name: name, Path: filepath.Join(folder, filepath.FromSlash(name)), Lang: lang, URL: name + "/{path}",
			Include: include, Exclude: []string{"**/LICENSE*"},
		}
	}
	operations := func(name string) []corpus.Source {
		s := files(name, "", "*.yaml", "*.yml")
		s.Name, s.Reader, s.URL = name+"-operations", reader.OpenAPI, name+"/{path}#{method} {route}"
		return []corpus.Source{s, files(name, "", "README.md")}
	}
	pages := func(name, lang string) corpus.Source {
		s := files(name, lang, "**/*.mdx")
		s.Weights = []corpus.Weight{{Match: "**/{agreements,contratos}/**", Weight: 0.6}, {Match: "homes/**", Weight: 0.8}}
		return s
	}
	collection := func(tool string, fold bool, sources ...corpus.Source) corpus.Collection {
		return corpus.Collection{Tool: tool, Title: tool, Description: "A test corpus.", Fold: fold, Sources: sources}
	}
	return corpus.Config{Collections: []corpus.Collection{
		collection("search_docs", true, pages("docs-en", ""), pages("docs-pt-br", "pt-br")),
		collection("search_samples", false, files("samples", "")),
		collection("search_cli", false, files("cli/docs-en", ""), files("cli/docs-pt-br", "pt-br"), files("cli/reference", ""), files("cli/repo", "")),
		collection("search_api_v3", false, operations("api-v3")...),
		collection("search_api_v4", false, operations("api-v4")...),
		collection("search_terraform", false, files("terraform/docs-en", ""), files("terraform/docs-pt-br", "pt-br"),
			files("terraform/azionify", ""), files("terraform/edgedns2tf", "")),
	}}
}

// Tool is the tool and the language by which the questions of a corpus are asked.
func Tool(name string) (tool, language string) {
	switch name {
	case "docs-en":
		return "search_docs", "en"
	case "docs-pt-br":
		return "search_docs", "pt-br"
	case "api-v3":
		return "search_api_v3", ""
	case "api-v4":
		return "search_api_v4", ""
	}
	return "search_" + name, ""
}
