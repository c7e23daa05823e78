package catalog

import (
	"maps"
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/catalog/internal/shape"
)

// Filters of a list cost a model more than they tell, one schema each on every
// list tool. Where there are several they are listed as one object, filter, whose
// keys stand in a line. By the check they are arguments like all others: each is
// taken inside filter or beside it, and validated by its own schema.

// beside are query parameters of lists that agents use more than any filter, and
// that most platforms call by these names. They stay arguments of their own.
var beside = []string{"q", "query", "cursor", "limit", "page", "offset"}

// leastFilters is how many filters are worth an object.
const leastFilters = 2

// filtersOf are the arguments of a list that go into filter; none where there is
// an argument of that name already.
func filtersOf(t *Tool, own *shape.Shape) []string {
	if own.Union != nil {
		return nil
	}
	names := slices.DeleteFunc(narrowing(t, own), func(name string) bool {
		_, listed := own.Prop(name) // those of the page are not
		return !listed || slices.Contains(beside, name)
	})
	if _, taken := own.Prop(ArgFilter); taken || len(names) < leastFilters {
		return nil
	}
	return names
}

// narrowing are a list's optional query parameters, or what a tool written by hand
// may do without.
func narrowing(t *Tool, own *shape.Shape) []string {
	var names []string
	switch {
	case t.Narrowed:
		for _, p := range own.Props {
			if !p.Required {
				names = append(names, p.Name)
			}
		}
	case t.List != nil && t.Binding != nil:
		for _, p := range t.Binding.Params {
			if p.In == Query && !p.Required {
				names = append(names, p.Arg)
			}
		}
	}
	return names
}

// inFilter are the arguments of one call that came inside filter.
type inFilter map[string]bool

// spread gives the arguments with those in filter beside the others, in a new map.
func (s *Schema) spread(args map[string]any) (flat map[string]any, within inFilter, faults []Fault) {
	flat = make(map[string]any, len(args))
	maps.Copy(flat, args)
	given, there := flat[ArgFilter]
	if len(s.filters) == 0 || !there {
		return flat, nil, nil
	}
	delete(flat, ArgFilter)
	if given == nil {
		return flat, nil, nil
	}
	group, ok := given.(map[string]any)
	if !ok {
		return flat, nil, []Fault{fault(ArgFilter, "must be an object of %s", strings.Join(s.filters, ", "))}
	}
	within = inFilter{}
	for _, name := range sortedNames(group) {
		value, twice := flat[name]
		switch known := slices.Contains(s.filters, name); {
		case !known:
			faults = append(faults, s.notAFilter(name))
		case twice && value != nil:
			faults = append(faults, fault(ArgFilter+"."+name, "is given beside filter as well; send it once"))
		default:
			flat[name], within[name] = group[name], true
		}
	}
	return flat, within, faults
}

func (s *Schema) notAFilter(name string) Fault {
	path := ArgFilter + "." + name
	if _, argument := s.shape.Prop(name); argument || name == ArgLimit || name == ArgPage {
		return fault(path, "is no filter; send it beside filter")
	}
	if near := shape.Nearest(name, s.filters); near != "" {
		return fault(path, "unknown filter; did you mean %q?", near)
	}
	return fault(path, "unknown filter; known here: %s", strings.Join(s.filters, ", "))
}

// rename gives faults the path under which the caller sent the argument.
func (f inFilter) rename(faults []Fault) []Fault {
	for i, fault := range faults {
		first, _, _ := strings.Cut(fault.Path, ".")
		first, _, _ = strings.Cut(first, "[")
		if f[first] {
			faults[i].Path = ArgFilter + "." + fault.Path
		}
	}
	return faults
}
