package host

import (
	"fmt"
	"os"
	"slices"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// policy is the area's own rows, those of the file, and those of the settings: the
// last one that speaks of something counts.
func (g *Gate) policy() ([]catalog.PolicyRow, error) {
	if g.cfg.PolicyFile == "" {
		return slices.Concat(g.area.Policy, g.cfg.Policy), nil
	}
	text, err := os.ReadFile(g.cfg.PolicyFile)
	if err != nil {
		return nil, fmt.Errorf("policy-file: %w", err)
	}
	rows, err := catalog.ParsePolicy(g.cfg.PolicyFile, text)
	if err != nil {
		return nil, err
	}
	return slices.Concat(g.area.Policy, rows, g.cfg.Policy), nil
}

// govern applies the policy to hand-written tools, and gives those that agents
// may call after it and those that they may not.
func (g *Gate) govern(byHand []Tool, rows []catalog.PolicyRow) (callable []Tool, never []*catalog.Tool, err error) {
	o := catalog.Options{Area: g.area.Name, Policy: rows, Strict: g.cfg.Strict}
	if err := catalog.ApplyPolicy(catalogued(byHand), o); err != nil {
		return nil, nil, err
	}
	for _, t := range byHand {
		if t.Never == "" {
			callable = append(callable, t)
		} else {
			never = append(never, t.Tool)
		}
	}
	return callable, never, nil
}

// catalogued are what the tools are, without how they run.
func catalogued(tools []Tool) []*catalog.Tool {
	all := make([]*catalog.Tool, len(tools))
	for i, t := range tools {
		all[i] = t.Tool
	}
	return all
}

// toolNames are the tools' names.
func toolNames(tools []Tool) []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return names
}
