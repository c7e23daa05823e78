package catalog

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/comporta-mcp/comporta/pkg/catalog/internal/shape"
)

// requestBody reads the body's media type and shape. How it meets the parameters
// is decided in flatten, when the shapes are filled in.
func (o *operation) requestBody() {
	ref := o.spec.RequestBody
	if ref == nil || ref.Value == nil || len(ref.Value.Content) == 0 {
		return
	}
	media := preferred(ref.Value.Content)
	o.tool.Binding.Body = &Body{MediaType: strings.Replace(media, "*/*", "application/octet-stream", 1), Required: ref.Value.Required}
	encodings := ref.Value.Content[media].Encoding
	for _, field := range sortedNames(encodings) {
		if e := encodings[field]; e != nil && e.Style == "deepObject" {
			o.tool.Binding.Body.Deep = append(o.tool.Binding.Body.Deep, field)
		}
	}
	schema := ref.Value.Content[media].Schema
	if schema == nil || schema.Value == nil {
		schema = openapi3.NewSchemaRef("", openapi3.NewStringSchema())
		if isJSON(media) {
			schema = openapi3.NewSchemaRef("", openapi3.NewSchema())
		}
	}
	o.body = o.in.Shape(schema)
}

// preferred chooses JSON, then a form, then whatever comes first.
func preferred(content openapi3.Content) string {
	names := slices.DeleteFunc(sortedNames(content), func(n string) bool { return content[n] == nil })
	for _, like := range []func(string) bool{
		isJSON,
		func(n string) bool { return strings.HasPrefix(n, "application/x-www-form-urlencoded") },
		func(n string) bool { return strings.HasPrefix(n, "multipart/form-data") },
	} {
		if i := slices.IndexFunc(names, like); i >= 0 {
			return names[i]
		}
	}
	return names[0]
}

func isJSON(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	media = strings.TrimSpace(strings.ToLower(media))
	return media == "application/json" || strings.HasSuffix(media, "+json")
}

// flatten makes one flat input of parameters and body. The body's fields become
// arguments, unless it is no plain object or a name is taken: then the body is
// one argument.
func (o *operation) flatten() {
	own := append(o.props(func(p param) bool { return !o.paged(p) }), append(o.contentProps(), o.commandProps()...)...)
	if o.body == nil {
		o.own = shape.NewObject(own...)
		return
	}
	body := o.tool.Binding.Body
	if fields := o.body.Fields(); o.spreads(fields) {
		body.Fields = fields
		o.own = o.body.With(own, nil)
		if !body.Required {
			o.bare = o.withoutBody(own)
			o.either = shape.NewUnion(shape.NewObject(own...), o.own)
		}
		return
	}
	body.Whole = "body"
	if slices.ContainsFunc(o.params, func(p param) bool { return p.Arg == body.Whole }) {
		body.Whole = "request_body"
	}
	o.own = shape.NewObject(append(own, shape.Prop{Name: body.Whole, Shape: o.body, Required: body.Required})...)
}

// withoutBody is the input where a body may be left out and none of its fields is
// given. The fields are known there, but none is required.
func (o *operation) withoutBody(own []shape.Prop) *shape.Shape {
	if o.body.Union != nil {
		return shape.NewObject(own...)
	}
	return o.body.With(own, func(p shape.Prop) shape.Prop {
		p.Required = false
		return p
	})
}

// spreads reports whether the body's fields can be arguments of their own.
func (o *operation) spreads(fields []string) bool {
	media := o.tool.Binding.Body.MediaType
	if !isJSON(media) && !strings.Contains(media, "form") || o.body.Nullable || !o.body.Flat() {
		return false
	}
	reserved := commonNames(o.tool)
	for _, name := range fields {
		param := slices.ContainsFunc(o.params, func(p param) bool { return p.Arg == name })
		if param || slices.Contains(reserved, name) || !argName.MatchString(name) {
			return false
		}
	}
	return true
}
