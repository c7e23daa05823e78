package catalog

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/catalog/internal/shape"
)

// answers reads the good answers: their media type, their shape (several merge
// into one), and whether 202 is among them.
func (o *operation) answers() {
	var shapes []*shape.Shape
	accepts := ""
	for _, status := range sortedNames(o.spec.Responses.Map()) {
		ref := o.spec.Responses.Value(status)
		if !strings.HasPrefix(status, "2") && status != "default" || ref == nil || ref.Value == nil {
			continue
		}
		if status == "default" && len(shapes) > 0 {
			continue // nearly always the error's form
		}
		if status == "202" && o.rules.operation == nil && !o.rules.noOperation && o.tool.Writes() {
			o.tool.Operation = &Operation{}
		}
		if status == "default" || len(ref.Value.Content) == 0 {
			continue
		}
		media := preferred(ref.Value.Content)
		accepts = cmp.Or(accepts, media)
		if schema := ref.Value.Content[media].Schema; isJSON(media) && schema != nil && schema.Value != nil {
			if one := o.out.Shape(schema); !slices.Contains(shapes, one) {
				shapes = append(shapes, one)
			}
		}
	}
	o.tool.Binding.Accepts = cmp.Or(accepts, o.tool.Binding.Accepts)
	o.tool.Binding.Content = !isJSON(o.tool.Binding.Accepts) && !strings.Contains(o.tool.Binding.Accepts, "*")
	switch len(shapes) {
	case 0:
	case 1:
		o.answer = shapes[0]
	default:
		o.answer = shape.NewUnion(shapes...)
	}
}

// asObject wraps an answer that is no object as the platform package does.
func asObject(answer *shape.Shape) *shape.Shape {
	for _, leaf := range answer.Leaves() {
		if leaf.Kind != shape.Object {
			return shape.NewObject(shape.Prop{Name: "data", Shape: answer}).Open()
		}
	}
	return answer
}

var (
	pageWord  = regexp.MustCompile(`^page(_?number)?$`)
	sizeWord  = regexp.MustCompile(`^(page_?size|per_?page|limit|max_\w*count|max_results|max_items)$`)
	totalWord = regexp.MustCompile(`^(count|total|total_?count|total_?items)$`)
	tokenWord = regexp.MustCompile(`^(continuation|next|page)_?token$|^cursor$`)
)

// defaultPage is the largest page to ask a platform for that names no limit.
const defaultPage = 100

// list sees whether the answer is a list that comes in pages.
func (o *operation) list() {
	if o.method != "GET" || o.answer == nil {
		return
	}
	list := &List{MaxSize: defaultPage}
	for _, leaf := range o.answer.Leaves() {
		for _, p := range leaf.Props {
			switch {
			case p.Shape.Kind == shape.Array && (list.Key == "" || p.Name == "results"):
				list.Key = p.Name
			case p.Shape.Kind == shape.Integer && totalWord.MatchString(strings.ToLower(p.Name)):
				list.TotalKey = p.Name
			}
		}
	}
	for _, p := range o.params {
		switch name := strings.ToLower(p.Name); {
		case p.In == Query && p.shape.Kind == shape.String && tokenWord.MatchString(name) && asObject(o.answer).Leads(p.Name):
			list.TokenArg = p.Arg
		case p.In != Query || p.shape.Kind != shape.Integer && p.shape.Kind != shape.Number:
		case pageWord.MatchString(name):
			list.PageArg = p.Arg
		case sizeWord.MatchString(name):
			list.SizeArg = p.Arg
			if p.shape.Max != nil && p.shape.Max.Value >= 1 && p.shape.Max.Value < 1<<20 {
				list.MaxSize = int(p.shape.Max.Value)
			}
		}
	}
	if list.Key != "" && (list.PageArg != "" || list.SizeArg != "") {
		o.tool.List = list
	}
}

// paged reports whether limit and page stand in for a parameter.
func (o *operation) paged(p param) bool {
	l := o.tool.List
	return l != nil && (p.Arg == l.PageArg || p.Arg == l.SizeArg)
}
