package reader

import (
	"path"
	"strings"

	"github.com/comporta-mcp/comporta/services/docs/internal/page"
)

// readCode keeps a source file as it is, cut into passages. Its title is the end
// of its path; what it is for stands in the README beside it, which corpus adds.
func readCode(name, text string) page.Page {
	p := page.Page{Title: path.Join(path.Base(path.Dir(name)), path.Base(name))}
	for _, piece := range pieces(strings.Split(text, "\n")) {
		p.Passages = append(p.Passages, page.Passage{Text: piece})
	}
	return p
}
