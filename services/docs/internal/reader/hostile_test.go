package reader_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/comporta-mcp/comporta/services/docs/internal/reader"
)

// laughs is YAML whose aliases would grow to ten to the ninth of nodes.
func laughs() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := range 8 {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 10), ","))
	}
	return b.String()
}

// wide is an OpenAPI schema that has the next one ten times, nine deep.
func wide() string {
	var b strings.Builder
	b.WriteString("openapi: 3.0.0\ninfo: {title: t, version: '1'}\npaths:\n  /a: {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/S0'}}}}, responses: {'200': {description: ok}}}}\ncomponents:\n  schemas:\n")
	for i := range 9 {
		fmt.Fprintf(&b, "    S%d:\n      type: object\n      properties:\n", i)
		for j := range 10 {
			fmt.Fprintf(&b, "        p%d: {$ref: '#/components/schemas/S%d'}\n", j, i+1)
		}
	}
	b.WriteString("    S9: {type: object, properties: {self: {$ref: '#/components/schemas/S9'}}}\n")
	return b.String()
}

// TestHostileFilesCostNoMoreThanTheirSize: what is read comes from repositories
// that others write. Memory is counted as all that was allocated while reading.
func TestHostileFilesCostNoMoreThanTheirSize(t *testing.T) {
	const kilo = 1 << 10
	// A byte of a file may cost so many, and a file so many more: YAML stops at ten
	// thousand levels, which cost 11 MB.
	const perByte, perFile = 200, 16 << 20
	for _, c := range []struct {
		name string
		kind reader.Kind
		text string
	}{
		{"aliases in front matter that multiply", reader.Markdown, "---\n" + laughs() + "---\n# Title\ntext"},
		{"aliases in an OpenAPI document that multiply", reader.OpenAPI, "openapi: 3.0.0\n" + laughs()},
		{"schemas that multiply and name themselves", reader.OpenAPI, wide()},
		{"brackets that never close", reader.OpenAPI, "openapi: " + strings.Repeat("[", 9*kilo)},
		{"a front matter that never ends", reader.Markdown, "---\n" + strings.Repeat("a: b\n", 200*kilo)},
		{"a megabyte of opening brackets", reader.Markdown, strings.Repeat("[", kilo*kilo)},
		{"a megabyte of tags that do not close", reader.Markdown, strings.Repeat("<A ", 300*kilo)},
		{"a megabyte of code marks", reader.Markdown, strings.Repeat("`", kilo*kilo)},
		{"a hundred thousand headings", reader.Markdown, strings.Repeat("# h\n", 100*kilo)},
		{"headings one below the other", reader.Markdown, strings.Repeat("# h\n## h\n### h\n#### h\n##### h\n###### h\n", 10*kilo)},
		{"one line of a megabyte without a space", reader.Code, strings.Repeat("x", kilo*kilo)},
		{"a megabyte of comments that open", reader.Markdown, strings.Repeat("{/* <!-- ", 100*kilo)},
		{"a megabyte of broken UTF-8", reader.Markdown, strings.Repeat("\xff\xc0", 500*kilo)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			pages, err := reader.Read(c.kind, "a.x", "en", []byte(c.text))
			runtime.ReadMemStats(&after)
			cost := after.TotalAlloc - before.TotalAlloc
			t.Logf("%d bytes, %d allocated, %d pages, error %.80v", len(c.text), cost, len(pages), err)
			if cost > uint64(perByte*len(c.text))+perFile {
				t.Errorf("%d bytes cost %d", len(c.text), cost)
			}
		})
	}
}

func TestAnOpenAPIDocumentReadsNoOtherFile(t *testing.T) {
	for _, ref := range []string{"/etc/passwd", "./other.yaml#/a", "http://127.0.0.1:1/x.yaml"} {
		_, err := reader.Read(reader.OpenAPI, "a.yaml", "en", fmt.Appendf(nil,
			"openapi: 3.0.0\ninfo: {title: t, version: '1'}\npaths: {/a: {get: {responses: {'200': {$ref: '%s'}}}}}", ref))
		if err == nil || !strings.Contains(err.Error(), "external") {
			t.Errorf("%s: %v, want that no other document is read", ref, err)
		}
	}
}
