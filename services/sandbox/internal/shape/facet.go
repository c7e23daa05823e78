// Package shape reads what a schema of the documents says about a value: which
// properties it has, what it lacks, what may be shown of it, what is wrong with
// it. It works on decoded JSON (numbers are json.Number) and knows nothing of
// resources, paths or callers.
package shape

import (
	"iter"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// maxDepth stops walks down a schema that contains itself.
const maxDepth = 24

// layers is a schema and everything it is made of by allOf, itself first.
func layers(s *openapi3.Schema) iter.Seq[*openapi3.Schema] {
	return func(yield func(*openapi3.Schema) bool) { layersDown(s, maxDepth, yield) }
}

func layersDown(s *openapi3.Schema, depth int, yield func(*openapi3.Schema) bool) bool {
	if s == nil || depth == 0 {
		return true
	}
	if !yield(s) {
		return false
	}
	for _, part := range s.AllOf {
		if !layersDown(part.Value, depth-1, yield) {
			return false
		}
	}
	return true
}

func anyLayer(s *openapi3.Schema, is func(*openapi3.Schema) bool) bool {
	for layer := range layers(s) {
		if is(layer) {
			return true
		}
	}
	return false
}

// ReadOnly reports whether only the platform sets a property of this schema.
func ReadOnly(s *openapi3.Schema) bool {
	return anyLayer(s, func(l *openapi3.Schema) bool { return l.ReadOnly })
}

// WriteOnly reports whether a property of this schema is never shown.
func WriteOnly(s *openapi3.Schema) bool {
	return anyLayer(s, func(l *openapi3.Schema) bool { return l.WriteOnly })
}

// Nullable reports whether null is a value of the schema.
func Nullable(s *openapi3.Schema) bool {
	return anyLayer(s, func(l *openapi3.Schema) bool { return l.Nullable || l.Type.IncludesNull() })
}

// Type is the schema's JSON type, "null" left aside; "" when it has none.
func Type(s *openapi3.Schema) string {
	for layer := range layers(s) {
		for _, t := range layer.Type.Slice() {
			if t != openapi3.TypeNull {
				return t
			}
		}
		if len(layer.Properties) > 0 {
			return openapi3.TypeObject
		}
	}
	return ""
}

// Format is the schema's format; "" when it has none.
func Format(s *openapi3.Schema) string {
	for layer := range layers(s) {
		if layer.Format != "" {
			return layer.Format
		}
	}
	return ""
}

// Enum is the schema's listed values; nil when it lists none.
func Enum(s *openapi3.Schema) []any {
	for layer := range layers(s) {
		if len(layer.Enum) > 0 {
			return layer.Enum
		}
		if layer.Const != nil {
			return []any{layer.Const}
		}
	}
	return nil
}

func defaultOf(s *openapi3.Schema) (any, bool) {
	for layer := range layers(s) {
		if layer.Default != nil {
			return clone(layer.Default), true
		}
	}
	return nil, false
}

func items(s *openapi3.Schema) *openapi3.Schema {
	for layer := range layers(s) {
		if layer.Items != nil {
			return layer.Items.Value
		}
	}
	return nil
}

// Property is a direct property of an object schema, also through allOf and the
// branches of oneOf and anyOf; nil when it has none of that name.
func Property(s *openapi3.Schema, name string) *openapi3.Schema {
	for layer := range layers(s) {
		if p := layer.Properties[name]; p != nil {
			return p.Value
		}
		for _, branch := range slices.Concat(layer.OneOf, layer.AnyOf) {
			if p := Property(branch.Value, name); p != nil {
				return p
			}
		}
	}
	return nil
}
