package reader

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// frontMatter is the YAML head of a page; keys that are not used are ignored.
type frontMatter map[string]any

// cutFrontMatter takes the head off. A head that is no YAML is dropped.
func cutFrontMatter(text string) (frontMatter, string) {
	rest, found := strings.CutPrefix(text, "---\n")
	if !found {
		return nil, text
	}
	head, body, found := strings.Cut(rest, "\n---")
	if !found || strings.Contains(head, "&") && strings.Contains(head, "*") {
		return nil, text // no end, or aliases, which no page needs and which can grow without bound
	}
	var front frontMatter
	if yaml.Unmarshal([]byte(head), &front) != nil {
		return nil, body
	}
	return front, body
}

func (f frontMatter) text(key string) string {
	switch v := f[key].(type) {
	case nil:
		return ""
	case string:
		return strings.Join(strings.Fields(v), " ")
	default:
		return fmt.Sprint(v)
	}
}

// page fills in what the front matter says. page_title is how Terraform's
// registry spells a title.
func (f frontMatter) page() page.Page {
	p := page.Page{
		Title:     f.text("title"),
		Summary:   f.text("description"),
		Permalink: f.text("permalink"),
		Twin:      f.text("namespace"),
		Lang:      f.text("lang"),
	}
	if p.Title == "" {
		p.Title = f.text("page_title")
	}
	for _, key := range []string{"meta_tags", "keywords", "subcategory"} {
		for word := range strings.SplitSeq(f.text(key), ",") {
			if word = strings.TrimSpace(word); word != "" {
				p.Keywords = append(p.Keywords, word)
			}
		}
	}
	return p
}

// cards are the titles and descriptions by which a home page leads to others.
func (f frontMatter) cards() []string {
	var out []string
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		if depth > 8 {
			return
		}
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e, depth+1)
			}
		case map[string]any:
			title, _ := v["title"].(string)
			description, _ := v["description"].(string)
			if title != "" && description != "" {
				out = append(out, title+": "+description)
			}
			walk(v["cards"], depth+1)
		}
	}
	walk(f["product_cards"], 0)
	if len(out) == 0 {
		return nil
	}
	return pieces(out)
}
