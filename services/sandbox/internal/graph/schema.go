package graph

import (
	"maps"
	"slices"
	"strings"

	"github.com/graphql-go/graphql"
)

// schemaOf makes the schema of one endpoint.
func schemaOf(sets []dataset) (graphql.Schema, error) {
	fields := graphql.Fields{}
	for _, d := range sets {
		fields[d.name] = d.query()
	}
	return graphql.NewSchema(graphql.SchemaConfig{
		Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: fields}),
	})
}

// query is the field of Query that asks the data set.
func (d dataset) query() *graphql.Field {
	args := graphql.FieldConfigArgument{
		"limit":   {Type: graphql.Int, DefaultValue: defaultRows, Description: "Most rows, 0 to 10000."},
		"offset":  {Type: graphql.Int, DefaultValue: 0, Description: "Rows to leave out at the front."},
		"filter":  {Type: d.filterType(), Description: d.filterHelp()},
		"orderBy": {Type: graphql.NewList(graphql.NewNonNull(d.orders())), Description: "Such as [ts_ASC]."},
	}
	if d.grouped {
		args["aggregate"] = &graphql.ArgumentConfig{Type: d.aggregates(), Description: "What is computed of each group, such as {sum: bytesSent}."}
		args["groupBy"] = &graphql.ArgumentConfig{Type: graphql.NewList(graphql.NewNonNull(d.names("Group", func(f field) bool { return !f.added }))), Description: "Fields whose equal values make one row."}
	}
	return &graphql.Field{
		Type:              graphql.NewNonNull(graphql.NewList(graphql.NewNonNull(d.object()))),
		Description:       d.about,
		DeprecationReason: d.obsolete,
		Args:              args,
		Resolve:           d.resolve,
	}
}

func (d dataset) filterHelp() string {
	if d.byPeriod {
		return "Which rows; periodFrom and periodTo bound the period."
	}
	return "Which rows; tsRange, or tsGt and tsLt, must be there."
}

func (d dataset) object() *graphql.Object {
	fields := graphql.Fields{}
	add := func(name, about string, t graphql.Output) {
		fields[name] = &graphql.Field{Type: t, Description: about, Resolve: func(p graphql.ResolveParams) (any, error) {
			r, _ := p.Source.(row)
			return r[name], nil
		}}
	}
	for _, f := range d.fields {
		add(f.name, f.about, f.kind.output())
	}
	if d.grouped {
		for _, name := range slices.Sorted(maps.Keys(functions)) {
			add(name, "What aggregate asked for.", graphql.Float)
		}
	}
	return graphql.NewObject(graphql.ObjectConfig{Name: upper(d.name), Description: d.about, Fields: fields})
}

// names is an enum of those fields that are wanted.
func (d dataset) names(what string, wanted func(field) bool, more ...string) *graphql.Enum {
	values := graphql.EnumValueConfigMap{}
	for _, f := range d.fields {
		if wanted(f) {
			values[f.name] = &graphql.EnumValueConfig{Value: f.name, Description: f.about}
		}
	}
	for _, name := range more {
		values[name] = &graphql.EnumValueConfig{Value: name}
	}
	return graphql.NewEnum(graphql.EnumConfig{Name: upper(d.name) + what, Values: values})
}

func (d dataset) orders() *graphql.Enum {
	values := graphql.EnumValueConfigMap{}
	add := func(name string) {
		values[name+"_ASC"] = &graphql.EnumValueConfig{Value: order{name, false}}
		values[name+"_DESC"] = &graphql.EnumValueConfig{Value: order{name, true}}
	}
	for _, f := range d.fields {
		add(f.name)
	}
	if d.grouped {
		for name := range functions {
			add(name)
		}
	}
	return graphql.NewEnum(graphql.EnumConfig{Name: upper(d.name) + "Order", Values: values})
}

func (d dataset) aggregates() *graphql.InputObject {
	numbers := d.names("Number", func(f field) bool { return f.kind == integer || f.kind == float })
	rows := d.names("Count", func(field) bool { return true }, everyRow)
	fields := graphql.InputObjectConfigFieldMap{}
	for name := range functions {
		fields[name] = &graphql.InputObjectFieldConfig{Type: numbers}
	}
	fields["count"] = &graphql.InputObjectFieldConfig{Type: rows}
	return graphql.NewInputObject(graphql.InputObjectConfig{Name: upper(d.name) + "Aggregate", Fields: fields})
}

func upper(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
