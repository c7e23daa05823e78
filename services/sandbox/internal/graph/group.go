package graph

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// everyRow is what count counts where it is not a field.
const everyRow = "rows"

// functions compute one number of a group's values; over is the interval asked about.
var functions = map[string]func(values []float64, over time.Duration) float64{
	"count": func(v []float64, _ time.Duration) float64 { return float64(len(v)) },
	"sum":   func(v []float64, _ time.Duration) float64 { return sum(v) },
	"max":   func(v []float64, _ time.Duration) float64 { return slices.Max(v) },
	"min":   func(v []float64, _ time.Duration) float64 { return slices.Min(v) },
	"avg":   func(v []float64, _ time.Duration) float64 { return sum(v) / float64(len(v)) },
	"rate":  func(v []float64, over time.Duration) float64 { return sum(v) / math.Max(over.Seconds(), 1) },
}

func sum(values []float64) (total float64) {
	for _, v := range values {
		total += v
	}
	return total
}

// group makes one row of those that are equal in what groupBy names. Rows stay
// as they are where nothing is grouped and nothing aggregated.
func (d dataset) group(rows []row, args map[string]any, chosen []string, over time.Duration) ([]row, error) {
	by := texts(args["groupBy"])
	aggregate, _ := args["aggregate"].(map[string]any)
	for _, name := range chosen {
		if _, computed := functions[name]; computed && aggregate[name] == nil {
			return nil, fmt.Errorf("%s is selected, and aggregate does not ask for it: aggregate: {%s: <field>}", name, name)
		}
	}
	if len(by) == 0 && len(aggregate) == 0 {
		return rows, nil
	}
	for _, name := range chosen {
		if f, ok := d.field(name); ok && !f.added && !slices.Contains(by, name) {
			return nil, fmt.Errorf("%s is selected and stands neither in groupBy nor is it added up: add it to groupBy", name)
		}
	}
	var groups [][]row
	places := map[string]int{}
	for _, r := range rows {
		key := keyOf(r, by)
		i, known := places[key]
		if !known {
			i = len(groups)
			places[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	out := []row{}
	for _, g := range groups {
		out = append(out, d.together(g, by, aggregate, over))
	}
	return out, nil
}

func keyOf(r row, by []string) string {
	var key strings.Builder
	for _, name := range by {
		fmt.Fprintf(&key, "%v\x00", r[name])
	}
	return key.String()
}

// together is the one row of a group.
func (d dataset) together(group []row, by []string, aggregate map[string]any, over time.Duration) row {
	out := row{}
	for _, f := range d.fields {
		switch {
		case slices.Contains(by, f.name):
			out[f.name] = group[0][f.name]
		case f.added && f.kind == integer:
			out[f.name] = int64(sum(numbers(group, f.name)))
		case f.added:
			out[f.name] = sum(numbers(group, f.name))
		}
	}
	for name, of := range aggregate {
		column, _ := of.(string)
		out[name] = functions[name](numbers(group, column), over)
	}
	return out
}

func numbers(group []row, column string) []float64 {
	values := make([]float64, len(group))
	for i, r := range group {
		values[i] = number(r[column])
	}
	return values
}

func texts(v any) []string {
	var out []string
	list, _ := v.([]any)
	for _, one := range list {
		if s, ok := one.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
