package reader

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// readOpenAPI makes a page of every operation of an OpenAPI document.
func readOpenAPI(name string, data []byte) ([]page.Page, error) {
	loader := openapi3.NewLoader()
	loader.Context = context.Background()
	doc, err := loader.LoadFromData(data)
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	var pages []page.Page
	for _, route := range doc.Paths.InMatchingOrder() {
		item := doc.Paths.Value(route)
		if item == nil {
			continue
		}
		operations := item.Operations()
		for _, method := range slices.Sorted(maps.Keys(operations)) {
			pages = append(pages, operationPage(doc, route, method, item, operations[method]))
		}
	}
	slices.SortFunc(pages, func(a, b page.Page) int {
		return cmp.Or(cmp.Compare(a.Route, b.Route), cmp.Compare(a.Method, b.Method))
	})
	return pages, nil
}

func operationPage(doc *openapi3.T, route, method string, item *openapi3.PathItem, op *openapi3.Operation) page.Page {
	p := page.Page{Method: method, Route: route, Title: strings.TrimSpace(op.Summary), Summary: strings.TrimSpace(op.Description)}
	if p.Title == "" {
		p.Title = spoken(cmp.Or(op.OperationID, strings.ToLower(method)+" "+route))
	}
	p.Keywords = append(p.Keywords, op.Tags...)
	p.Keywords = append(p.Keywords, spoken(op.OperationID))
	p.Keywords = append(p.Keywords, Doing(method, route, p.Title+" "+op.OperationID)...)
	if doc.Info != nil {
		p.Keywords = append(p.Keywords, doc.Info.Title)
	}
	head := []string{"`" + method + " " + route + "`", "", p.Title}
	if p.Summary != "" && p.Summary != p.Title {
		head = append(head, "", p.Summary)
	}
	for _, params := range []openapi3.Parameters{item.Parameters, op.Parameters} {
		head = append(head, parameterLines(params)...)
	}
	p.Passages = append(p.Passages, asPassages(nil, head)...)
	if op.RequestBody != nil && op.RequestBody.Value != nil {
		p.Passages = append(p.Passages, bodyPassages("Request body", op.RequestBody.Value.Content)...)
	}
	p.Passages = append(p.Passages, answerPassages(op)...)
	return p
}

func asPassages(headings, lines []string) []page.Passage {
	var out []page.Passage
	for _, text := range pieces(lines) {
		out = append(out, page.Passage{Headings: headings, Text: text})
	}
	return out
}

func parameterLines(params openapi3.Parameters) []string {
	var lines []string
	for _, ref := range params {
		if ref == nil || ref.Value == nil {
			continue
		}
		l := fmt.Sprintf("- `%s` (%s)", ref.Value.Name, ref.Value.In)
		if text := oneLine(ref.Value.Description); text != "" {
			l += ": " + text
		}
		lines = append(lines, l)
	}
	if len(lines) > 0 {
		lines = append([]string{"", "Parameters:", ""}, lines...)
	}
	return lines
}

func bodyPassages(heading string, content openapi3.Content) []page.Passage {
	for _, mime := range slices.Sorted(maps.Keys(content)) {
		media := content[mime]
		if media == nil || media.Schema == nil {
			continue
		}
		f := fields{left: maxFields}
		f.walk("", media.Schema, 0)
		return asPassages([]string{heading}, append([]string{"`" + mime + "`", ""}, f.lines...))
	}
	return nil
}

// answerPassages tells the successful answer's fields and every status's sentence.
func answerPassages(op *openapi3.Operation) []page.Passage {
	if op.Responses == nil {
		return nil
	}
	var lines []string
	var out []page.Passage
	answers := op.Responses.Map()
	for _, status := range slices.Sorted(maps.Keys(answers)) {
		ref := answers[status]
		if ref == nil || ref.Value == nil {
			continue
		}
		if ref.Value.Description != nil {
			lines = append(lines, "- "+status+": "+oneLine(*ref.Value.Description))
		}
		if strings.HasPrefix(status, "2") && len(out) == 0 {
			out = bodyPassages("Answer", ref.Value.Content)
		}
	}
	return append(asPassages([]string{"Statuses"}, lines), out...)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
