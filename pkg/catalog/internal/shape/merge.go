package shape

import (
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// merge writes what all parts demand together into s.
func (b *Builder) merge(s *Shape, parts []part) {
	kinds, contradiction := kindsOfAll(parts)
	if contradiction != nil {
		b.fault(contradiction, "allOf asks for two types at once")
	}
	members, nulls := 0, 0
	for i, p := range parts {
		schema := p.ref.Value
		b.words(s, p.ref, i == 0)
		if kindsOf(schema) != nil { // one without a type says nothing about null
			members++
			if nullable(schema) {
				nulls++
			}
		}
		b.limits(s, schema)
	}
	if len(kinds) == 1 {
		s.Kind = kinds[0]
	}
	// A wrapper that adds nullable to an allOf means what it says, though by the
	// letter the part inside would still refuse null.
	s.Nullable = len(parts) > 0 && nullable(parts[0].ref.Value) || members > 0 && nulls == members
	b.object(s, parts)
	b.items(s, parts)
	if b.mode == Out {
		relax(s)
	}
}

// words takes over names and texts: the outermost schema that has one wins.
func (b *Builder) words(s *Shape, ref *openapi3.SchemaRef, first bool) {
	schema := ref.Value
	if first && ref.Ref != "" {
		s.Name = baseName(ref.Ref)
	}
	if s.Title == "" {
		s.Title = schema.Title
	}
	if s.Text == "" {
		s.Text = schema.Description
	}
	if s.Format == "" {
		s.Format = schema.Format
	}
	if s.Default == nil {
		s.Default = canonical(schema.Default)
	}
	b.example(s, schema)
	m := MarksOf(ref)
	s.Secret, s.Once, s.Untrusted = s.Secret || m.Secret, s.Once || m.Once, s.Untrusted || m.Untrusted
	s.Address = s.Address || m.Address
	if s.Names == nil {
		s.Names = named(ref)
	}
}

// limits takes over the tightest of every limit.
func (b *Builder) limits(s *Shape, schema *openapi3.Schema) {
	if values := enumOf(schema); values != nil {
		if s.Enum != nil {
			values = slices.DeleteFunc(values, func(v any) bool { return !containsValue(s.Enum, v) })
		}
		if s.Enum = values; len(values) == 0 {
			b.fault(schema, "allOf leaves no allowed value")
		}
	}
	if schema.Pattern != "" && !slices.ContainsFunc(s.Patterns, func(p Pattern) bool { return p.Source == schema.Pattern }) {
		re, _ := regexp.Compile(schema.Pattern)
		s.Patterns = append(s.Patterns, Pattern{Source: schema.Pattern, Re: re})
	}
	s.MinLength = max(s.MinLength, clamp(schema.MinLength))
	s.MaxLength = tighter(s.MaxLength, schema.MaxLength)
	s.MinItems = max(s.MinItems, clamp(schema.MinItems))
	s.MaxItems = tighter(s.MaxItems, schema.MaxItems)
	s.MinProps = max(s.MinProps, clamp(schema.MinProps))
	s.MaxProps = tighter(s.MaxProps, schema.MaxProps)
	s.Unique = s.Unique || schema.UniqueItems
	if schema.MultipleOf != nil && *schema.MultipleOf > 0 {
		s.MultipleOf = *schema.MultipleOf
	}
	for _, low := range bounds(schema.Min, schema.ExclusiveMin) {
		if s.Min == nil || low.Value > s.Min.Value || low.Value == s.Min.Value && low.Exclusive {
			s.Min = &low
		}
	}
	for _, high := range bounds(schema.Max, schema.ExclusiveMax) {
		if s.Max == nil || high.Value < s.Max.Value || high.Value == s.Max.Value && high.Exclusive {
			s.Max = &high
		}
	}
}

// bounds reads both ways of saying an exclusive limit (3.0: true, 3.1: a number).
func bounds(limit *float64, exclusive openapi3.ExclusiveBound) []Bound {
	var out []Bound
	if limit != nil {
		out = append(out, Bound{Value: *limit, Exclusive: exclusive.Bool != nil && *exclusive.Bool})
	}
	if exclusive.Value != nil {
		out = append(out, Bound{Value: *exclusive.Value, Exclusive: true})
	}
	return out
}

// object merges properties: one that several parts name must satisfy them all.
func (b *Builder) object(s *Shape, parts []part) {
	named := map[string][]part{}
	required := map[string]bool{}
	var extra []part
	closed, stated := false, false
	for _, p := range parts {
		schema := p.ref.Value
		for name, ref := range schema.Properties {
			if ref != nil && ref.Value != nil {
				named[name] = append(named[name], part{ref: ref})
			}
		}
		for _, name := range schema.Required {
			required[name] = true
		}
		a := schema.AdditionalProperties
		closed = closed || a.Has != nil && !*a.Has || schema.UnevaluatedProperties.Has != nil && !*schema.UnevaluatedProperties.Has
		stated = stated || a.Has != nil && *a.Has || a.Schema != nil || len(schema.PatternProperties) > 0
		if a.Schema != nil && a.Schema.Value != nil {
			extra = append(extra, part{ref: a.Schema})
		}
	}
	for _, name := range sortedKeys(named) {
		if b.hidden(named[name]) {
			s.ReadOnly = append(s.ReadOnly, name)
			if b.mode == Out && slices.ContainsFunc(named[name], part.secret) {
				s.Masked = append(s.Masked, name)
			}
			delete(required, name)
			continue
		}
		s.Props = append(s.Props, Prop{Name: name, Shape: b.promise(named[name]), Required: required[name]})
		delete(required, name)
	}
	for _, name := range sortedKeys(required) { // required, but described nowhere: anything goes
		s.Props = append(s.Props, Prop{Name: name, Shape: fresh(), Required: true})
	}
	slices.SortFunc(s.Props, func(a, b Prop) int { return strings.Compare(a.Name, b.Name) })
	s.Extra = Extra{Closed: closed || !stated && len(named) > 0, Stated: closed || stated}
	if len(extra) > 0 && !closed {
		s.Extra.Shape = b.promise(extra)
	}
}

func (p part) secret() bool {
	return MarksOf(p.ref).Secret
}

// hidden reports whether a property does not travel in this direction. A mark
// may stand on the property or inside its allOf.
func (b *Builder) hidden(parts []part) bool {
	for _, p := range parts {
		schemas := []*openapi3.Schema{p.ref.Value}
		for _, m := range p.ref.Value.AllOf {
			if m != nil && m.Value != nil {
				schemas = append(schemas, m.Value)
			}
		}
		for _, schema := range schemas {
			if b.mode == In && schema.ReadOnly || b.mode == Out && schema.WriteOnly {
				return true
			}
		}
	}
	return false
}

func (b *Builder) items(s *Shape, parts []part) {
	var items []part
	for _, p := range parts {
		if ref := p.ref.Value.Items; ref != nil && ref.Value != nil {
			items = append(items, part{ref: ref})
		}
	}
	if len(items) > 0 {
		s.Items = b.promise(items)
	}
}

// relax keeps of an answer's schema what no honest answer can break when the
// platform grows: kinds and names. A new enum value, a longer text or a further
// field must not make a client refuse the answer.
func relax(s *Shape) {
	s.Enum, s.Patterns, s.Min, s.Max, s.MultipleOf = nil, nil, nil, nil, 0
	s.MinLength, s.MaxLength, s.MinItems, s.MaxItems, s.MinProps, s.MaxProps = 0, -1, 0, -1, 0, -1
	s.Unique, s.Default, s.Format = false, nil, ""
	s.Extra.Closed = false
}

func clamp(n uint64) int { return int(min(n, 1<<31)) }

func tighter(have int, limit *uint64) int {
	if limit == nil {
		return have
	}
	if n := clamp(*limit); have < 0 || n < have {
		return n
	}
	return have
}
