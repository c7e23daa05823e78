package mount

import (
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// overlay is an operator's changes by operation: operationId, or "GET /path".
// The keys of an operation replace the document's; those of x-mcp are laid over
// what follows from the method.
type overlay struct {
	file    string
	changes map[string]*yaml.Node
	used    map[string]bool
}

func (a API) readOverlay() (*overlay, error) {
	o := &overlay{file: a.Overlay, changes: map[string]*yaml.Node{}, used: map[string]bool{}}
	if a.Overlay == "" {
		return o, nil
	}
	root, err := readYAML(a.Overlay)
	if err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != "operations" {
			return nil, fmt.Errorf("%s:%d: only operations is taken, not %s", a.Overlay, root.Content[i].Line, root.Content[i].Value)
		}
	}
	operations := get(root, "operations")
	if operations == nil || operations.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s: operations is missing, a mapping by operationId", a.Overlay)
	}
	for i := 0; i+1 < len(operations.Content); i += 2 {
		change := operations.Content[i+1]
		if change.Kind != yaml.MappingNode {
			return nil, fmt.Errorf("%s:%d: must be a mapping", a.Overlay, change.Line)
		}
		o.changes[operations.Content[i].Value] = change
	}
	return o, nil
}

func (o *overlay) apply(op *yaml.Node, names ...string) {
	for _, name := range names {
		change, ok := o.changes[name]
		if !ok {
			continue
		}
		o.used[name] = true
		for i := 0; i+1 < len(change.Content); i += 2 {
			key, value := change.Content[i].Value, change.Content[i+1]
			if rules := get(op, "x-mcp"); key == "x-mcp" && value.Kind == yaml.MappingNode {
				for j := 0; j+1 < len(value.Content); j += 2 {
					set(rules, value.Content[j].Value, value.Content[j+1])
				}
				continue
			}
			set(op, key, value)
		}
	}
}

// unused refuses changes of operations that are not mounted: a typing error, or a
// document that has moved on.
func (o *overlay) unused() error {
	for _, name := range slices.Sorted(maps.Keys(o.changes)) {
		if !o.used[name] {
			return fmt.Errorf("%s:%d: no operation %s is mounted", o.file, o.changes[name].Line, name)
		}
	}
	return nil
}
