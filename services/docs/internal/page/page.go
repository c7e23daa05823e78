// Package page is what readers make and the index keeps: a page of documentation
// and its passages. It owns the two shapes and nothing that works on them.
package page

import "strings"

// Page is what one search result names: a file, or one operation of an API.
type Page struct {
	Path  string `json:"path"` // slash-separated, below its source
	Lang  string `json:"lang"` // "en", "pt-br", "es"
	Title string `json:"title"`
	// Summary is the page's own description, one or two sentences; may be empty.
	Summary  string   `json:"summary,omitempty"`
	Keywords []string `json:"keywords,omitempty"`
	// Permalink is the path under which the page is published, as it says itself.
	Permalink string `json:"permalink,omitempty"`
	// Twin is the same on a page and its translations; "" where that is not known.
	Twin string `json:"twin,omitempty"`
	// Method and Route name an API operation; "" for any other page.
	Method string `json:"method,omitempty"`
	Route  string `json:"route,omitempty"`
	// Source is the address that a result gives, without an anchor.
	Source string `json:"source,omitempty"`
	// Weight multiplies the page's score; 0 means 1.
	Weight   float64   `json:"weight,omitempty"`
	Passages []Passage `json:"passages"`
}

// Operation is a name for an API operation: "get-workloads-id"; "" for other pages.
func (p *Page) Operation() string {
	if p.Route == "" {
		return ""
	}
	words := strings.FieldsFunc(p.Method+p.Route, func(r rune) bool { return strings.ContainsRune("/{}", r) })
	return strings.ToLower(strings.Join(words, "-"))
}

// Address is where a passage of the page stands.
func (p *Page) Address(passage *Passage) string {
	anchor := ""
	if passage != nil {
		anchor = passage.Anchor
	}
	if anchor == "" {
		return strings.ReplaceAll(strings.ReplaceAll(p.Source, "#{anchor}", ""), "{anchor}", "")
	}
	return strings.ReplaceAll(p.Source, "{anchor}", anchor)
}

// Passage is a piece of a page that can be read by itself.
type Passage struct {
	// Headings lead to it, outermost first, without the page's title.
	Headings []string `json:"headings,omitempty"`
	Anchor   string   `json:"anchor,omitempty"` // of the innermost heading
	Text     string   `json:"text"`             // Markdown
}
