package gql

import "github.com/vektah/gqlparser/v2/ast"

// bounded refuses a query that is too deep or too wide. Fragments are counted as
// often as they are spread, for so often the endpoint reads them.
func bounded(document *ast.QueryDocument, operation *ast.OperationDefinition) error {
	m := measure{fragments: document.Fragments, known: map[string]extent{}}
	whole, err := m.selections(operation.SelectionSet)
	switch {
	case err != nil:
		return err
	case whole.depth > maxDepth:
		return refuse("the query is %d levels deep; at most %d are sent", whole.depth, maxDepth)
	case whole.fields > maxFields:
		return refuse("the query asks for more than %d fields", maxFields)
	case whole.roots > maxRoots:
		return refuse("the query asks %d data sets at once; at most %d, whatever their aliases", whole.roots, maxRoots)
	}
	return nil
}

// extent is how large a selection is. Its numbers stop growing beyond the bounds.
type extent struct{ depth, fields, roots int }

// measure finds extents; each fragment is measured once.
type measure struct {
	fragments ast.FragmentDefinitionList
	known     map[string]extent
	open      []string
}

func (m *measure) selections(set ast.SelectionSet) (extent, error) {
	var whole extent
	for _, selection := range set {
		one, err := m.selection(selection)
		if err != nil {
			return whole, err
		}
		whole.depth = max(whole.depth, one.depth)
		whole.fields = min(whole.fields+one.fields, maxFields+1)
		whole.roots = min(whole.roots+one.roots, maxFields+1)
	}
	return whole, nil
}

func (m *measure) selection(selection ast.Selection) (extent, error) {
	switch selection := selection.(type) {
	case *ast.Field:
		inner, err := m.selections(selection.SelectionSet)
		return extent{depth: inner.depth + 1, fields: min(inner.fields+1, maxFields+1), roots: 1}, err
	case *ast.InlineFragment:
		return m.selections(selection.SelectionSet)
	case *ast.FragmentSpread:
		return m.spread(selection.Name)
	}
	return extent{}, nil
}

func (m *measure) spread(name string) (extent, error) {
	if known, ok := m.known[name]; ok {
		return known, nil
	}
	fragment := m.fragments.ForName(name)
	if fragment == nil {
		return extent{}, refuse("there is no fragment %s", name)
	}
	for _, above := range m.open {
		if above == name {
			return extent{}, refuse("the fragment %s spreads itself", name)
		}
	}
	m.open = append(m.open, name)
	found, err := m.selections(fragment.SelectionSet)
	m.open = m.open[:len(m.open)-1]
	if err == nil {
		m.known[name] = found
	}
	return found, err
}
