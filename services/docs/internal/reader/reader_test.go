package reader_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/services/docs/internal/page"
	"github.com/comporta-mcp/comporta/services/docs/internal/reader"
)

func read(t *testing.T, kind reader.Kind, name, text string) []page.Page {
	t.Helper()
	pages, err := reader.Read(kind, name, "en", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

const mdx = `---
title: Tides
description: >-
  When the water
  comes and goes.
permalink: /sea/tides/
namespace: sea_tides
meta_tags: moon, water
---

import Button from 'kit/button'
import {
  Tag,
} from 'kit/tag'

{/* a note to
authors */}
Tides follow the [moon](https://moon.example.com/a_(b)) <Tag severity="info" client:only="vue" /> closely.

<Button
  link="/x"
  label="Go"
/>

## High tide

It is high twice a day. Use ` + "`<place>`" + `.

<Code lang="sh" code={` + "`" + `
tide --when high
import nothing
` + "`" + `} />

## High tide

` + "```js\nimport { a } from 'b' // <Tag>\n# no heading\n```" + `
`

func TestMDX(t *testing.T) {
	got := read(t, reader.Markdown, "sea/tides.mdx", mdx)[0]
	want := page.Page{
		Path: "sea/tides.mdx", Lang: "en", Title: "Tides", Summary: "When the water comes and goes.",
		Keywords: []string{"moon", "water"}, Permalink: "/sea/tides/", Twin: "sea_tides",
		Passages: []page.Passage{
			{Text: "Tides follow the moon   closely."},
			{Headings: []string{"High tide"}, Anchor: "high-tide", Text: "It is high twice a day. Use `<place>`.\n\n```sh\ntide --when high\nimport nothing\n```"},
			{Headings: []string{"High tide"}, Anchor: "high-tide-1", Text: "```js\nimport { a } from 'b' // <Tag>\n# no heading\n```"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTitles(t *testing.T) {
	for _, c := range []struct{ name, file, text, want string }{
		{"from the first heading", "a.md", "## azion purge\n\ntext", "azion purge"},
		{"from Terraform's front matter", "a.md", "---\npage_title: \"resource: zone\"\n---\ntext", "resource: zone"},
		{"from the file's name", "dir/a.md", "text", "a"},
		{"front matter that is no YAML", "a.md", "---\n: : {\n---\n# Head\n", "Head"},
		{"front matter without an end", "a.md", "---\ntitle: x\n# Head\n", "Head"},
		{"code is named after its folder and file", "samples/delay/index.js", "x", "delay/index.js"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := read(t, reader.KindOf(c.file), c.file, c.text)[0].Title; got != c.want {
				t.Errorf("title %q, want %q", got, c.want)
			}
		})
	}
}

const api = `
openapi: 3.0.3
info: {title: Harbour, version: "1"}
paths:
  /ships/{ship_id}:
    parameters: [{name: ship_id, in: path, required: true, schema: {type: integer}, description: Which ship.}]
    delete: {operationId: delete_ship, tags: [Ships], responses: {"204": {description: Gone.}}}
  /ships:
    post:
      operationId: create_ship
      summary: Register a ship
      tags: [Ships]
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Ship"}}}}
      responses: {"201": {description: Made.}}
components:
  schemas:
    Ship:
      type: object
      required: [name]
      properties:
        name: {type: string, description: "Painted on the bow."}
        kind: {type: string, enum: [tug, ferry]}
        escort: {$ref: "#/components/schemas/Ship"}
`

func TestOpenAPIHasAPagePerOperation(t *testing.T) {
	got := read(t, reader.OpenAPI, "harbour.yaml", api)
	if len(got) != 2 {
		t.Fatalf("%d pages, want 2", len(got))
	}
	create, remove := got[0], got[1]
	if create.Method != "POST" || create.Route != "/ships" || create.Title != "Register a ship" || create.Operation() != "post-ships" {
		t.Errorf("%+v", create)
	}
	if remove.Title != "delete ship" {
		t.Errorf("an operation without summary is called %q", remove.Title)
	}
	all := ""
	for _, p := range create.Passages {
		all += p.Text + "\n"
	}
	for _, want := range []string{"`name` string, required: Painted on the bow.", "One of: tug, ferry", "`escort.name`", "201: Made."} {
		if !strings.Contains(all, want) {
			t.Errorf("the page lacks %q:\n%s", want, all)
		}
	}
	if !strings.Contains(strings.Join(remove.Keywords, " "), "remove") || !strings.Contains(remove.Passages[0].Text, "Which ship.") {
		t.Errorf("%+v", remove)
	}
}

func TestPassagesHaveTheSizeOfOne(t *testing.T) {
	paragraphs := strings.Repeat("A sentence about tides and the moon, which goes on for a while.\n\n", 200)
	for name, text := range map[string]string{
		"paragraphs":           paragraphs,
		"one long line":        strings.Repeat("word ", 5000),
		"one long word":        strings.Repeat("é", 9000),
		"a table of many rows": strings.Repeat("| a | b | c |\n", 2000),
	} {
		t.Run(name, func(t *testing.T) {
			passages := read(t, reader.Markdown, "a.md", text)[0].Passages
			if len(passages) < 3 {
				t.Fatalf("%d passages", len(passages))
			}
			for _, p := range passages {
				if n := utf8.RuneCountInString(p.Text); n > 2000 {
					t.Errorf("a passage of %d characters", n)
				}
			}
		})
	}
}

func TestWhatIsNotRead(t *testing.T) {
	if pages, err := reader.Read(reader.Code, "a.bin", "en", []byte("a\x00b")); err != nil || pages != nil {
		t.Errorf("binary: %v, %v", pages, err)
	}
	if _, err := reader.Read(reader.Markdown, "a.md", "en", make([]byte, reader.MaxFile+1)); err == nil {
		t.Error("a file that is too large was read")
	}
	if _, err := reader.Read(reader.OpenAPI, "a.yaml", "en", []byte("paths: [")); err == nil {
		t.Error("broken YAML was read")
	}
}

func TestTitlesAndHeadingsDoNotFillAnAnswer(t *testing.T) {
	long := strings.Repeat("é", 100_000)
	for name, text := range map[string]string{
		"a title and a summary": "---\ntitle: " + long + "\ndescription: " + long + "\n---\ntext",
		"a heading":             "# " + long + "\n## " + long + "\ntext",
	} {
		t.Run(name, func(t *testing.T) {
			p := read(t, reader.Markdown, "a.md", text)[0]
			size := len(p.Title) + len(p.Summary)
			for _, passage := range p.Passages {
				size += len(passage.Anchor) + len(strings.Join(passage.Headings, ""))
			}
			if size == 0 || size > 6000 {
				t.Errorf("%d bytes beside the text", size)
			}
		})
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add(mdx)
	f.Add("---\n---\n<A\n{/*\n```\n`<\n<Code code={`")
	f.Add("---\na: &x [*x]\n---")
	f.Fuzz(func(t *testing.T, text string) { bounded(t, reader.Markdown, text) })
}

func FuzzOpenAPI(f *testing.F) {
	f.Add(api)
	f.Add("openapi: 3.0.0\npaths: {/a: {get: {responses: {}}}}")
	f.Add("openapi: 3.0.0\npaths: {/a: null}")
	f.Fuzz(func(t *testing.T, text string) { bounded(t, reader.OpenAPI, text) })
}

func FuzzCode(f *testing.F) {
	f.Add("const a = 1\r\n\xff")
	f.Fuzz(func(t *testing.T, text string) { bounded(t, reader.Code, text) })
}

// bounded: whatever a file holds, its pages are text, and not much more than it.
func bounded(t *testing.T, kind reader.Kind, text string) {
	pages, err := reader.Read(kind, "dir/a.x", "en", []byte(text))
	if err != nil {
		return
	}
	size := 0
	for _, p := range pages {
		for _, passage := range p.Passages {
			size += len(passage.Text)
			if passage.Text == "" || !utf8.ValidString(passage.Text) {
				t.Errorf("%q has the passage %q", text, passage.Text)
			}
		}
	}
	if kind != reader.OpenAPI && size > 4*len(text)+100 {
		t.Errorf("%d bytes became %d", len(text), size)
	}
}
