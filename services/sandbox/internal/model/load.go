package model

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// Load reads every area's documents, as the areas' hosts do.
func Load(docs map[string]fs.FS) (*Model, error) {
	b := newBuilder()
	for _, area := range slices.Sorted(maps.Keys(docs)) {
		tools, err := catalog.Load(docs[area], catalog.Options{Area: area})
		if err != nil {
			return nil, fmt.Errorf("documents of %s: %w", area, err)
		}
		for _, d := range tools.Documents() {
			if err := b.add(area, d.Spec); err != nil {
				return nil, fmt.Errorf("documents of %s: %s: %w", area, d.File, err)
			}
		}
	}
	return b.build(), nil
}

// Of reads one document that is no area's.
func Of(spec *openapi3.T) (*Model, error) {
	b := newBuilder()
	if err := b.add("", spec); err != nil {
		return nil, err
	}
	return b.build(), nil
}
