package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/comporta-mcp/comporta/pkg/catalog/internal/shape"
)

var (
	templated = regexp.MustCompile(`\{([^{}]*)\}`)
	// argument names that model providers take
	argName    = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	argUnclean = regexp.MustCompile(`[^a-zA-Z0-9_.-]+`)
)

// parameters merges those of the path with those of the operation, which win by
// name and place, and gives each a name of its own in the flat input.
func (o *operation) parameters() {
	var merged []*openapi3.Parameter
	for _, list := range []openapi3.Parameters{o.item.Parameters, o.spec.Parameters} {
		for _, ref := range list {
			if ref == nil || ref.Value == nil {
				continue
			}
			p := ref.Value
			same := func(q *openapi3.Parameter) bool { return q.Name == p.Name && q.In == p.In }
			if i := slices.IndexFunc(merged, same); i >= 0 {
				merged[i] = p
			} else {
				merged = append(merged, p)
			}
		}
	}
	order := []string{"path", "query", "header"}
	slices.SortStableFunc(merged, func(a, b *openapi3.Parameter) int {
		return slices.Index(order, a.In) - slices.Index(order, b.In)
	})
	taken := map[string]bool{}
	for _, p := range merged {
		if !o.sends(p) {
			continue
		}
		read := o.parameter(p)
		if taken[read.Arg] {
			read.Arg += "_" + p.In
		}
		if taken[read.Arg] || !argName.MatchString(read.Arg) {
			o.complain(fmt.Sprintf("%s %q has no usable name of its own as an argument", p.In, p.Name), "parameters")
			continue
		}
		taken[read.Arg] = true
		o.params = append(o.params, read)
		o.tool.Binding.Params = append(o.tool.Binding.Params, read.Param)
	}
	o.placeholders()
}

// notArguments are headers that no agent gives: OpenAPI describes the first three
// elsewhere, the rest belong to the connection.
var notArguments = []string{
	"accept", "authorization", "content-type",
	"connection", "content-length", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
}

// sends reports whether a parameter is the agent's to give. The place of the
// credential is not, or an agent could put another one beside it.
func (o *operation) sends(p *openapi3.Parameter) bool {
	auth := o.tool.Binding.Auth
	switch p.In {
	case "path":
		return true
	case "query":
		return auth.In != Query || p.Name != auth.Name
	case "header":
		return !slices.Contains(notArguments, strings.ToLower(p.Name)) && (auth.In != Header || !strings.EqualFold(p.Name, auth.Name))
	}
	if p.Required {
		o.complain(fmt.Sprintf("%s parameter %q is required, and cookies cannot be sent", p.In, p.Name), "parameters")
	}
	return false
}

func (o *operation) parameter(p *openapi3.Parameter) param {
	out := param{Param: Param{
		Arg: strings.Trim(argUnclean.ReplaceAllString(p.Name, "_"), "_"), Name: p.Name, In: In(p.In),
		Required: p.Required || p.In == "path", Style: p.Style,
	}}
	if out.Style == "" {
		out.Style = map[string]string{"query": "form"}[p.In]
	}
	if out.Style == "" {
		out.Style = "simple"
	}
	out.Explode = out.Style == "form"
	if p.Explode != nil {
		out.Explode = *p.Explode
	}
	schema := p.Schema
	if schema == nil {
		for _, media := range sortedNames(p.Content) {
			if c := p.Content[media]; c != nil && c.Schema != nil {
				schema, out.Style, out.Explode = c.Schema, "json", false
			}
		}
	}
	if schema == nil || schema.Value == nil {
		schema = openapi3.NewSchemaRef("", openapi3.NewStringSchema())
	}
	out.shape = o.in.Shape(described(schema, p))
	return out
}

// described puts the parameter's words over its schema's, and its marks too.
func described(schema *openapi3.SchemaRef, p *openapi3.Parameter) *openapi3.SchemaRef {
	if p.Description == "" && p.Extensions["x-mcp"] == nil {
		return schema
	}
	return openapi3.NewSchemaRef("", &openapi3.Schema{
		Description: p.Description, Extensions: p.Extensions, AllOf: openapi3.SchemaRefs{schema},
	})
}

// placeholders makes sure that no {name} can stay in a URL.
func (o *operation) placeholders() {
	var wanted []string
	for _, m := range templated.FindAllStringSubmatch(o.path, -1) {
		wanted = append(wanted, m[1])
	}
	given := o.pathParams()
	for _, name := range wanted {
		if !slices.Contains(given, name) {
			o.complain(fmt.Sprintf("the path names {%s}, and no path parameter describes it", name), "parameters")
		}
	}
	for _, name := range given {
		if !slices.Contains(wanted, name) {
			o.complain(fmt.Sprintf("path parameter %q does not stand in the path", name), "parameters")
		}
	}
}

// pathParams are the wire names of the path parameters.
func (o *operation) pathParams() []string {
	var out []string
	for _, p := range o.params {
		if p.In == Path {
			out = append(out, p.Name)
		}
	}
	return out
}

// props are the parameters as properties of the input.
func (o *operation) props(keep func(param) bool) []shape.Prop {
	var out []shape.Prop
	for _, p := range o.params {
		if keep(p) {
			out = append(out, shape.Prop{Name: p.Arg, Shape: p.shape, Required: p.Required})
		}
	}
	return out
}
