package host

import (
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/host/internal/toolsearch"
	"github.com/comporta-mcp/comporta/pkg/identity"
)

// The small front (contract §1): a profile for clients that bear few tools. It
// has the common tools and two more, which find and run every other one.
const (
	liteName   = "lite"
	toolSearch = "buscar_herramientas"
	toolRun    = "ejecutar_herramienta"
)

func (g *Gate) liteProfile() Profile {
	return Profile{
		Name:    liteName,
		Title:   g.area.Title + ", small",
		Summary: "Every tool of this host behind two: one finds tools, one runs them. For clients that bear few tools.",
		Instructions: strings.Join([]string{
			"Only the common tools are listed here. All others of this host work as well: find them with " + toolSearch +
				", which answers their schemas, and call them with " + toolRun + ". Wherever a text tells you to call a tool that is not listed, do it that way.",
			g.area.Instructions,
		}, "\n\n"),
	}
}

func (g *Gate) liteTools() ([]Tool, error) {
	search, err := g.searchTool()
	if err != nil {
		return nil, err
	}
	run, err := g.runTool()
	if err != nil {
		return nil, err
	}
	return []Tool{search, run}, nil
}

// isLite: the two tools that only the small front has. Where the others are
// listed, they would only be a second way to each.
func isLite(t *catalog.Tool) bool {
	return t.Binding == nil && slices.Contains([]string{toolSearch, toolRun}, t.Name)
}

// indexWords makes the words of the tools that are there already, which are all
// but the small front's own.
func (g *Gate) indexWords() (err error) {
	g.words, err = toolsearch.New(catalogued(g.tools))
	return err
}

// useful reports whether a caller can do anything with a tool: what they may not
// see, and what their scope refuses whatever the arguments are, is never found
// and never hinted at.
func useful(p *identity.Principal) func(*catalog.Tool) bool {
	return func(t *catalog.Tool) bool { return guard.Visible(p, t) == nil && guard.WithinReach(p, t) }
}

// hint ends the refusal of a tool that the profile does not have with one that
// was probably meant; "" where there is none.
func (g *Gate) hint(rq *request, name string) string {
	if rq.caller.principal == nil {
		return ""
	}
	keep := useful(rq.caller.principal)
	if t, ok := g.byName[name]; ok && keep(t.Tool) && !isLite(t.Tool) {
		if rq.profile.Name == liteName {
			return "; here it is called with " + toolRun
		}
		return "; it is not in this profile, but at " + mcpPath
	}
	near := g.words.Find(short(name), func(t *catalog.Tool) bool {
		_, here := rq.profile.tool(t.Name)
		return here && keep(t)
	})
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + near[0].Name + "?"
}
