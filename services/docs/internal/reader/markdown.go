package reader

import (
	"path"
	"strings"

	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// section is what stands below one heading.
type section struct {
	headings []string
	anchor   string
	lines    []string
}

// readMarkdown reads Markdown and MDX: front matter, sections by heading, and
// text without components.
func readMarkdown(name, text string) page.Page {
	front, body := cutFrontMatter(text)
	p := front.page()
	sections, first := sectionsOf(clean(body))
	if p.Title == "" {
		p.Title = first
	}
	if p.Title == "" {
		p.Title = strings.TrimSuffix(path.Base(name), path.Ext(name))
	}
	p.Passages = passages(sections, p.Title)
	for _, card := range front.cards() {
		p.Passages = append(p.Passages, page.Passage{Text: card})
	}
	return p
}

// sectionsOf cuts lines at their headings; first is the first heading there is.
func sectionsOf(lines []line) (sections []section, first string) {
	var path [6]string
	anchors := anchors{}
	current := section{}
	for _, l := range lines {
		level, title := headingOf(l)
		if level == 0 {
			current.lines = append(current.lines, l.text)
			continue
		}
		if first == "" {
			first = title
		}
		sections = append(sections, current)
		path[level-1] = title
		clear(path[level:])
		current = section{anchor: anchors.of(title)}
		for _, h := range path[:level] {
			if h != "" {
				current.headings = append(current.headings, h)
			}
		}
	}
	return append(sections, current), first
}

// headingOf reads "## Title"; level 0 is no heading.
func headingOf(l line) (level int, title string) {
	if l.code || !strings.HasPrefix(l.text, "#") {
		return 0, ""
	}
	rest := strings.TrimLeft(l.text, "#")
	level = len(l.text) - len(rest)
	if level > 6 || !strings.HasPrefix(rest, " ") {
		return 0, ""
	}
	title = short(strings.Trim(strings.TrimRight(strings.TrimSpace(rest), "#"), " *`"), maxTitle)
	return level, title
}

// passages cuts sections to the size of a passage. A heading that repeats the
// page's title is left out of the path.
func passages(sections []section, title string) []page.Passage {
	var out []page.Passage
	for _, s := range sections {
		headings := s.headings
		if len(headings) > 0 && strings.EqualFold(headings[0], title) {
			headings = headings[1:]
		}
		for _, text := range pieces(s.lines) {
			out = append(out, page.Passage{Headings: headings, Anchor: s.anchor, Text: text})
		}
	}
	return out
}
