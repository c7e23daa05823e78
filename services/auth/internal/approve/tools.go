package approve

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// Tools are all tools of all areas by name, as auth itself reads them: what a
// host says of a tool decides nothing here.
type Tools map[string]*catalog.Tool

// Load reads the documents of the areas, changed by the operator's policy.
func Load(documents map[string]fs.FS, policy []catalog.PolicyRow) (Tools, error) {
	tools := Tools{}
	for area, docs := range documents {
		loaded, err := catalog.Load(docs, catalog.Options{Area: area})
		if err != nil {
			return nil, fmt.Errorf("read the documents of %s: %w", area, err)
		}
		all := slices.Concat(loaded.Tools(), loaded.Never())
		if err := catalog.ApplyPolicy(all, catalog.Options{Area: area, Policy: policy}); err != nil {
			return nil, err
		}
		for _, t := range all {
			tools[t.Name] = t
		}
	}
	return tools, nil
}

// Find gives a tool by its name.
func (t Tools) Find(name string) (*catalog.Tool, bool) {
	found, ok := t[name]
	return found, ok
}
