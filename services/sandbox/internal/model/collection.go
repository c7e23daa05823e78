package model

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/shape"
)

// listKey is the property of an answer that is its list: "results", "data", or
// its only array; "" when the answer is no list.
func listKey(s *openapi3.Schema) string {
	if s == nil {
		return ""
	}
	for _, name := range []string{"results", "data"} {
		if p := property(s, name); p != nil && shape.Type(p) == openapi3.TypeArray {
			return name
		}
	}
	return ""
}

func property(s *openapi3.Schema, name string) *openapi3.Schema { return shape.Property(s, name) }

// describe reads from a collection's operations what its items are.
func (b *builder) describe(c *Collection, all []*Operation) {
	creates, lists := false, (*Operation)(nil)
	for _, kind := range []Kind{Retrieve, Create, Replace, Patch, List, Order} {
		for _, op := range all {
			if op.On != c || op.Kind != kind {
				continue
			}
			if data := op.Answer.Data(); kind != Order && data != nil && !op.Answer.Raw && !slices.Contains(c.Items, data) {
				c.Items = append(c.Items, data)
			}
			switch {
			case kind == List:
				lists = op
			case kind == Order:
				c.Ordered = true
			case kind == Create:
				creates = true
			}
			if (kind == Create || kind == Replace) && c.Input == nil && op.Body != nil {
				c.Input = op.Body.Schema
			}
		}
	}
	if c.Singleton {
		return
	}
	c.Upsert = !creates
	c.Key = b.key(c, lists)
	c.Ordered = c.Ordered || c.has("order", func(s *openapi3.Schema) bool {
		return shape.ReadOnly(s) && shape.Type(s) == openapi3.TypeInteger
	})
	if lists != nil && !creates && c.Input == nil {
		c.Seeds = b.seeds(c, lists)
	}
}

// key finds the property of an item that its path parameter stands for: "id",
// else "application_id" for {application_id}, "name" for {bucket_name} and
// {namespace}. The list
// is asked first: it shows items as such, and not the outcome of a write.
func (b *builder) key(c *Collection, list *Operation) Key {
	k := Key{Generated: true, Aliases: []string{"id"}}
	item := b.routes[shapeOf(c.Template+"/{}")]
	if item == nil {
		k.Aliases = append(k.Aliases, "slug") // nothing but a list shows its items
	} else {
		name := strings.Trim(item.segments[len(item.segments)-1], "{}")
		k.Aliases = append(k.Aliases, tails(name)...)
		k.Integer = isInteger(paramSchema(item, name))
		if !k.Integer {
			k.Aliases = append(k.Aliases, "name") // {namespace}
		}
	}
	items := c.Items
	if list != nil {
		items = slices.Concat([]*openapi3.Schema{list.Answer.Data()}, items)
	}
	for _, s := range items {
		for _, name := range k.Aliases {
			if p := property(s, name); p != nil {
				k.Field, k.Integer = name, isInteger(p)
				k.Generated = c.Input == nil || settable(c.Input, name) == nil
				return k
			}
		}
	}
	return k
}

func isInteger(s *openapi3.Schema) bool { return s != nil && shape.Type(s) == openapi3.TypeInteger }

// tails are a name and what follows each of its underscores.
func tails(name string) []string {
	all := []string{name}
	for {
		_, rest, ok := strings.Cut(name, "_")
		if !ok {
			return all
		}
		all, name = append(all, rest), rest
	}
}

func settable(input *openapi3.Schema, name string) *openapi3.Schema {
	if p := property(input, name); p != nil && !shape.ReadOnly(p) {
		return p
	}
	return nil
}

func paramSchema(r *route, name string) *openapi3.Schema {
	for _, d := range r.methods {
		for _, ref := range slices.Concat(d.op.Parameters, d.path.Parameters) {
			if ref.Value.Name == name && ref.Value.Schema != nil {
				return ref.Value.Schema.Value
			}
		}
	}
	return nil
}

func (c *Collection) has(name string, is func(*openapi3.Schema) bool) bool {
	return slices.ContainsFunc(c.Items, func(s *openapi3.Schema) bool {
		p := property(s, name)
		return p != nil && is(p)
	})
}

// seeds are the items that the document shows as an example of a list.
func (b *builder) seeds(c *Collection, list *Operation) []map[string]any {
	response := b.routes[shapeOf(c.Template)].methods["GET"].op.Responses.Status(list.Answer.Status)
	if response == nil {
		return nil
	}
	media := response.Value.Content["application/json"]
	if media == nil {
		return nil
	}
	examples := []any{media.Example}
	for _, ref := range media.Examples {
		examples = append(examples, ref.Value.Value)
	}
	for _, example := range examples {
		whole, _ := example.(map[string]any)
		items, _ := whole[list.Answer.ListKey].([]any)
		var seeds []map[string]any
		for _, item := range items {
			if seed, ok := item.(map[string]any); ok {
				seeds = append(seeds, shape.Clone(seed))
			}
		}
		if len(seeds) > 0 {
			return seeds
		}
	}
	return nil
}
