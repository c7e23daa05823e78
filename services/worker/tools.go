package worker

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// toolbox is every tool of every area by name.
type toolbox map[string]*catalog.Tool

// loadTools reads the documents of all areas. A name that two areas use is an
// error: an operation must not run another area's tool.
func loadTools(documents map[string]fs.FS) (toolbox, error) {
	box := toolbox{}
	var faults []error
	for _, area := range slices.Sorted(maps.Keys(documents)) {
		loaded, err := catalog.Load(documents[area], catalog.Options{Area: area})
		if err != nil {
			faults = append(faults, fmt.Errorf("area %s: %w", area, err))
			continue
		}
		// A tool that no agent may call any more may still be needed as a probe, and
		// for what was accepted before.
		for _, tool := range slices.Concat(loaded.Tools(), loaded.Never()) {
			if other, taken := box[tool.Name]; taken {
				faults = append(faults, fmt.Errorf("tool %s is in the areas %s and %s", tool.Name, other.Area, area))
			}
			box[tool.Name] = tool
		}
	}
	return box, errors.Join(faults...)
}

func (b toolbox) find(name string) (*catalog.Tool, bool) {
	tool, ok := b[name]
	return tool, ok
}
