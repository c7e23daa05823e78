package graph

import (
	"fmt"
	"slices"
	"time"

	"github.com/graphql-go/graphql"
	"github.com/graphql-go/graphql/language/ast"
)

// order is one value of orderBy.
type order struct {
	field string
	down  bool
}

// forever is the time of what is filtered by its period only.
var forever = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// resolve answers the data set's field of Query.
func (d dataset) resolve(p graphql.ResolveParams) (any, error) {
	root, _ := p.Source.(map[string]any)
	who, _ := root[""].(Asker)
	limit, _ := p.Args["limit"].(int)
	offset, _ := p.Args["offset"].(int)
	filter, _ := p.Args["filter"].(map[string]any)
	chosen := selected(p.Info)
	begin, end, bounded := interval(filter)
	if d.byPeriod {
		begin, end, bounded = time.Time{}, forever, true
	}
	switch {
	case limit < 0 || limit > maxRows:
		return nil, fmt.Errorf("limit must be between 0 and %d", maxRows)
	case offset < 0:
		return nil, fmt.Errorf("offset must be 0 or more")
	case len(chosen) > maxSelection:
		return nil, fmt.Errorf("at most %d fields of a data set can be selected, not %d", maxSelection, len(chosen))
	case !bounded:
		return nil, fmt.Errorf("%s needs a time interval: filter by tsRange {begin, end}, or by tsGt and tsLt", d.name)
	}
	keys := d.conditions()
	// The time was compared with the events; rows of metrics have it rounded.
	filter = withoutTime(filter)
	rows := slices.DeleteFunc(d.rows(who.Company, who.Log.Between(who.Company, begin, end), step(end.Sub(begin))),
		func(r row) bool { return !matches(keys, filter, r) })
	if d.grouped {
		var err error
		if rows, err = d.group(rows, p.Args, chosen, end.Sub(begin)); err != nil {
			return nil, err
		}
	}
	if err := sortRows(rows, p.Args["orderBy"]); err != nil {
		return nil, err
	}
	rows = rows[min(offset, len(rows)):]
	return rows[:min(limit, len(rows))], nil
}

func withoutTime(filter map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range filter {
		if !slices.Contains([]string{"tsRange", "tsGt", "tsGte", "tsLt", "tsLte"}, key) {
			out[key] = value
		}
	}
	return out
}

func sortRows(rows []row, by any) error {
	list, _ := by.([]any)
	for _, one := range slices.Backward(list) {
		o, ok := one.(order)
		if !ok {
			return fmt.Errorf("orderBy has no value %v", one)
		}
		slices.SortStableFunc(rows, func(a, b row) int {
			if o.down {
				a, b = b, a
			}
			return compare(a[o.field], b[o.field])
		})
	}
	return nil
}

// selected are the fields of a row that a query asks for, fragments included.
func selected(info graphql.ResolveInfo) []string {
	var names []string
	var walk func(set *ast.SelectionSet)
	walk = func(set *ast.SelectionSet) {
		if set == nil {
			return
		}
		for _, s := range set.Selections {
			switch s := s.(type) {
			case *ast.Field:
				if s.Name.Value != "__typename" {
					names = append(names, s.Name.Value)
				}
			case *ast.InlineFragment:
				walk(s.SelectionSet)
			case *ast.FragmentSpread:
				if f, ok := info.Fragments[s.Name.Value].(*ast.FragmentDefinition); ok {
					walk(f.SelectionSet)
				}
			}
		}
	}
	for _, f := range info.FieldASTs {
		walk(f.SelectionSet)
	}
	return names
}
