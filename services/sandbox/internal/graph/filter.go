package graph

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/graphql-go/graphql"
)

// operator is what a filter key says after the field's name: statusGte.
type operator struct {
	suffix string
	list   bool // takes a list of values
	holds  func(have, want any) bool
}

var (
	equal     = func(have, want any) bool { return compare(have, want) == 0 }
	exactly   = operator{"", false, equal}
	anyFields = []operator{
		exactly,
		{"Eq", false, equal},
		{"Ne", false, func(have, want any) bool { return compare(have, want) != 0 }},
		{"In", true, among},
		{"NotIn", true, func(have, want any) bool { return !among(have, want) }},
	}
	textFields = []operator{
		{"Like", false, func(have, want any) bool { return like(have, want, "(?s)") }},
		{"Ilike", false, func(have, want any) bool { return like(have, want, "(?is)") }},
	}
	orderedFields = []operator{
		{"Lt", false, func(have, want any) bool { return compare(have, want) < 0 }},
		{"Lte", false, func(have, want any) bool { return compare(have, want) <= 0 }},
		{"Gt", false, func(have, want any) bool { return compare(have, want) > 0 }},
		{"Gte", false, func(have, want any) bool { return compare(have, want) >= 0 }},
	}
)

const rangeSuffix = "Range"

func among(have, want any) bool {
	list, _ := want.([]any)
	return slices.ContainsFunc(list, func(one any) bool { return equal(have, one) })
}

// like matches the pattern of SQL, of which only % means something.
func like(have, want any, flags string) bool {
	pattern, _ := want.(string)
	parts := strings.Split(pattern, "%")
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	matches, err := regexp.Compile(flags + "^" + strings.Join(parts, ".*") + "$")
	s, _ := have.(string)
	return err == nil && matches.MatchString(s)
}

func (k kind) operators() []operator {
	if k == text || k == day {
		return slices.Concat(anyFields, textFields)
	}
	return slices.Concat(anyFields, orderedFields)
}

// condition is what one key of a filter asks.
type condition struct {
	field field
	operator
	between bool
}

// conditions are the keys that the filter of a data set takes.
func (d dataset) conditions() map[string]condition {
	keys := map[string]condition{}
	for _, f := range d.fields {
		for _, o := range f.kind.operators() {
			keys[f.name+o.suffix] = condition{field: f, operator: o}
		}
		if f.kind != text && f.kind != day {
			keys[f.name+rangeSuffix] = condition{field: f, between: true}
		}
	}
	if d.byPeriod { // these two bound the period instead of naming it
		keys["periodFrom"] = condition{field: keys["periodFrom"].field, operator: orderedFields[3]}
		keys["periodTo"] = condition{field: keys["periodTo"].field, operator: orderedFields[1]}
	}
	return keys
}

// filterType is the input type of a data set's filter.
func (d dataset) filterType() *graphql.InputObject {
	var own *graphql.InputObject
	own = graphql.NewInputObject(graphql.InputObjectConfig{
		Name: upper(d.name) + "Filter",
		Fields: graphql.InputObjectConfigFieldMapThunk(func() graphql.InputObjectConfigFieldMap {
			fields := graphql.InputObjectConfigFieldMap{
				"and": {Type: graphql.NewList(own)},
				"or":  {Type: graphql.NewList(own)},
				"not": {Type: own},
			}
			for key, c := range d.conditions() {
				fields[key] = &graphql.InputObjectFieldConfig{Type: c.input()}
			}
			return fields
		}),
	})
	return own
}

func (c condition) input() graphql.Input {
	one := c.field.kind.output()
	switch {
	case c.between:
		return ranges[one]
	case c.list:
		return graphql.NewList(one)
	}
	return one
}

var ranges = map[*graphql.Scalar]*graphql.InputObject{
	dateTime: rangeOf(dateTime), long: rangeOf(long), graphql.Float: rangeOf(graphql.Float),
}

func rangeOf(s *graphql.Scalar) *graphql.InputObject {
	return graphql.NewInputObject(graphql.InputObjectConfig{
		Name: s.Name() + rangeSuffix,
		Fields: graphql.InputObjectConfigFieldMap{
			"begin": {Type: graphql.NewNonNull(s)},
			"end":   {Type: graphql.NewNonNull(s)},
		},
	})
}

// matches reports whether a row passes a filter.
func matches(keys map[string]condition, filter map[string]any, r row) bool {
	for key, want := range filter {
		if !holds(keys, key, want, r) {
			return false
		}
	}
	return true
}

func holds(keys map[string]condition, key string, want any, r row) bool {
	switch key {
	case "and":
		return !slices.ContainsFunc(filters(want), func(f map[string]any) bool { return !matches(keys, f, r) })
	case "or":
		return slices.ContainsFunc(filters(want), func(f map[string]any) bool { return anyOf(keys, f, r) })
	case "not":
		f, _ := want.(map[string]any)
		return !matches(keys, f, r)
	}
	c := keys[key]
	have := r[c.field.name]
	if c.between {
		ends, _ := want.(map[string]any)
		return compare(have, ends["begin"]) >= 0 && compare(have, ends["end"]) <= 0
	}
	return c.holds(have, want)
}

// anyOf: the keys of one object under "or" are alternatives, too.
func anyOf(keys map[string]condition, filter map[string]any, r row) bool {
	for key, want := range filter {
		if holds(keys, key, want, r) {
			return true
		}
	}
	return len(filter) == 0
}

func filters(v any) []map[string]any {
	var all []map[string]any
	list, _ := v.([]any)
	for _, one := range list {
		if f, ok := one.(map[string]any); ok {
			all = append(all, f)
		}
	}
	return all
}

// interval is the time that a filter's top level asks about.
func interval(filter map[string]any) (begin, end time.Time, ok bool) {
	if ends, given := filter["tsRange"].(map[string]any); given {
		begin, _ = ends["begin"].(time.Time)
		end, _ = ends["end"].(time.Time)
		return begin, end, true
	}
	for _, key := range []string{"tsGt", "tsGte"} {
		if t, given := filter[key].(time.Time); given {
			begin = t
		}
	}
	for _, key := range []string{"tsLt", "tsLte"} {
		if t, given := filter[key].(time.Time); given {
			end = t
		}
	}
	return begin, end, !begin.IsZero() && !end.IsZero()
}
