package host

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// profile is what one MCP path serves: some of the area's tools, under one
// server that all callers share.
type profile struct {
	Profile
	path  string
	tools []Tool // by name
	views views
	json  http.Handler // answers with JSON
	sse   http.Handler // answers with an event stream
}

func (p *profile) tool(name string) (Tool, bool) {
	i, found := slices.BinarySearchFunc(p.tools, name, func(t Tool, name string) int { return cmp.Compare(t.Name, name) })
	if !found {
		return Tool{}, false
	}
	return p.tools[i], true
}

// named are the profiles with a name: the area's own, and the small front.
func (g *Gate) named() []Profile { return append(slices.Clone(g.area.Profiles), g.liteProfile()) }

// arrange makes the profiles: the whole area, and each named subset of it.
func (g *Gate) arrange() error {
	whole := Profile{Title: g.area.Title, Summary: g.area.Summary, Instructions: g.area.Instructions}
	g.profiles = map[string]*profile{}
	for _, p := range append([]Profile{whole}, g.named()...) {
		if g.profiles[p.Name] != nil {
			return fmt.Errorf("area %s has two profiles %q", g.area.Name, p.Name)
		}
		if p.Name == "docs" { // contract §1: /mcp/docs is a page
			return fmt.Errorf("area %s: docs is no profile name", g.area.Name)
		}
		g.profiles[p.Name] = g.newProfile(p)
	}
	return g.checkProfileNames()
}

func (g *Gate) newProfile(p Profile) *profile {
	made := &profile{Profile: p, path: mcpPath}
	if p.Name != "" {
		made.path += "/" + p.Name
	}
	for _, t := range g.tools {
		if p.Name == "" && !isLite(t.Tool) || isCommon(t.Tool) || slices.Contains(t.Profiles, p.Name) {
			made.tools = append(made.tools, t)
		}
	}
	made.json, made.sse = newTransports(g.newServer(made), g.readUpTo)
	return made
}

// checkProfileNames: a tool that names a profile nobody serves would be missing in silence.
func (g *Gate) checkProfileNames() error {
	for _, t := range g.tools {
		for _, name := range t.Profiles {
			if g.profiles[name] == nil {
				return fmt.Errorf("tool %s names the unknown profile %q", t.Name, name)
			}
		}
	}
	return nil
}

// isCommon: the tools of every profile, which name none (contract §5).
func isCommon(t *catalog.Tool) bool { return t.Binding == nil && slices.Contains(commonNames, t.Name) }
