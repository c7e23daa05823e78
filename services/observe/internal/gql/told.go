package gql

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// told is a schema as introspection tells it.
type told struct {
	Query        toldRef    `json:"queryType"`
	Mutation     toldRef    `json:"mutationType"`
	Subscription toldRef    `json:"subscriptionType"`
	Types        []toldType `json:"types"`
}

type toldType struct {
	Kind        string      `json:"kind"`
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Fields      []toldField `json:"fields"`
	InputFields []toldValue `json:"inputFields"`
	Interfaces  []toldRef   `json:"interfaces"`
	EnumValues  []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		deprecation
	} `json:"enumValues"`
	PossibleTypes []toldRef `json:"possibleTypes"`
}

type toldField struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Args        []toldValue `json:"args"`
	Type        toldRef     `json:"type"`
	deprecation
}

type deprecation struct {
	IsDeprecated bool   `json:"isDeprecated"`
	Reason       string `json:"deprecationReason"`
}

type toldValue struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Type        toldRef `json:"type"`
	Default     *string `json:"defaultValue"`
}

type toldRef struct {
	Kind   string   `json:"kind"`
	Name   string   `json:"name"`
	OfType *toldRef `json:"ofType"`
}

// somewhere is the place of what was read from no text.
var somewhere = &ast.Position{Src: &ast.Source{Name: "introspection"}}

// document adds the types to those that every schema has.
func (t told) document(prelude *ast.SchemaDocument) (*ast.SchemaDocument, error) {
	if t.Query.Name == "" {
		return nil, errors.New("the endpoint tells no type to query")
	}
	known := map[string]bool{t.Mutation.Name: true, t.Subscription.Name: true} // which nothing here may know
	for _, d := range prelude.Definitions {
		known[d.Name] = true
	}
	for _, one := range t.Types {
		if known[one.Name] {
			continue
		}
		known[one.Name] = true
		d, err := one.definition()
		if err != nil {
			return nil, err
		}
		prelude.Definitions = append(prelude.Definitions, d)
	}
	prelude.Schema = append(prelude.Schema, &ast.SchemaDefinition{
		OperationTypes: ast.OperationTypeDefinitionList{{Operation: ast.Query, Type: t.Query.Name, Position: somewhere}},
		Position:       somewhere,
	})
	return prelude, nil
}

func (t toldType) definition() (*ast.Definition, error) {
	d := &ast.Definition{Kind: ast.DefinitionKind(t.Kind), Name: t.Name, Description: t.Description, Position: somewhere}
	for _, i := range t.Interfaces {
		d.Interfaces = append(d.Interfaces, i.Name)
	}
	if d.Kind == ast.Union {
		for _, p := range t.PossibleTypes {
			d.Types = append(d.Types, p.Name)
		}
	}
	for _, v := range t.EnumValues {
		d.EnumValues = append(d.EnumValues, &ast.EnumValueDefinition{
			Name: v.Name, Description: v.Description, Directives: v.directives(), Position: somewhere,
		})
	}
	for _, f := range t.Fields {
		field, err := f.definition(t.Name)
		if err != nil {
			return nil, err
		}
		d.Fields = append(d.Fields, field)
	}
	for _, v := range t.InputFields {
		of, fallback, err := v.read(t.Name)
		if err != nil {
			return nil, err
		}
		d.Fields = append(d.Fields, &ast.FieldDefinition{Name: v.Name, Description: v.Description, Type: of, DefaultValue: fallback, Position: somewhere})
	}
	return d, nil
}

func (f toldField) definition(owner string) (*ast.FieldDefinition, error) {
	of, err := f.Type.read(owner + "." + f.Name)
	if err != nil {
		return nil, err
	}
	field := &ast.FieldDefinition{Name: f.Name, Description: f.Description, Type: of, Directives: f.directives(), Position: somewhere}
	for _, a := range f.Args {
		of, fallback, err := a.read(owner + "." + f.Name)
		if err != nil {
			return nil, err
		}
		field.Arguments = append(field.Arguments, &ast.ArgumentDefinition{
			Name: a.Name, Description: a.Description, Type: of, DefaultValue: fallback, Position: somewhere,
		})
	}
	return field, nil
}

func (d deprecation) directives() ast.DirectiveList {
	if !d.IsDeprecated {
		return nil
	}
	reason := &ast.Argument{Name: "reason", Value: &ast.Value{Raw: d.Reason, Kind: ast.StringValue, Position: somewhere}, Position: somewhere}
	return ast.DirectiveList{{Name: "deprecated", Arguments: ast.ArgumentList{reason}, Position: somewhere}}
}

func (v toldValue) read(owner string) (*ast.Type, *ast.Value, error) {
	of, err := v.Type.read(owner + "." + v.Name)
	if err != nil || v.Default == nil {
		return of, nil, err
	}
	return of, defaultOf(*v.Default), nil
}

// defaultOf reads a literal by letting it stand in a query. A default that cannot
// be read is as good as any for one that is there: it makes the argument optional.
func defaultOf(literal string) *ast.Value {
	query, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: "{f(v:" + literal + ")}"}, 1000)
	if err != nil || len(query.Operations) != 1 {
		return &ast.Value{Kind: ast.NullValue, Raw: "null", Position: somewhere}
	}
	field, ok := query.Operations[0].SelectionSet[0].(*ast.Field)
	if !ok || len(field.Arguments) != 1 {
		return &ast.Value{Kind: ast.NullValue, Raw: "null", Position: somewhere}
	}
	return field.Arguments[0].Value
}

func (r toldRef) read(where string) (*ast.Type, error) {
	switch {
	case r.Kind == "NON_NULL" && r.OfType != nil:
		of, err := r.OfType.read(where)
		if err != nil {
			return nil, err
		}
		of.NonNull = true
		return of, nil
	case r.Kind == "LIST" && r.OfType != nil:
		of, err := r.OfType.read(where)
		if err != nil {
			return nil, err
		}
		return ast.ListType(of, somewhere), nil
	case r.Name == "" || strings.HasPrefix(r.Kind, "LIST"):
		return nil, fmt.Errorf("the endpoint does not tell the type of %s", where)
	}
	return ast.NamedType(r.Name, somewhere), nil
}
