package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// route is one path of the documents, with its methods from all of them.
type route struct {
	template string
	segments []string
	methods  map[string]*documented
}

type documented struct {
	area string
	path *openapi3.PathItem
	op   *openapi3.Operation
}

// builder gathers the paths of all documents, then reads collections from them,
// then operations.
type builder struct {
	routes      map[string]*route // by shape
	collections map[string]*Collection
}

func newBuilder() *builder {
	return &builder{routes: map[string]*route{}, collections: map[string]*Collection{}}
}

// add takes a document in. Two documents may share a path, not one method of it,
// unless it is the same operation.
func (b *builder) add(area string, spec *openapi3.T) error {
	for template, item := range spec.Paths.Map() {
		r := b.routes[shapeOf(template)]
		if r == nil {
			r = &route{template: template, segments: Steps(template), methods: map[string]*documented{}}
			b.routes[shapeOf(template)] = r
		}
		for method, op := range item.Operations() {
			if before := r.methods[method]; before != nil && before.op.OperationID != op.OperationID {
				return fmt.Errorf("%s %s is both %s and %s", method, template, before.op.OperationID, op.OperationID)
			}
			r.methods[method] = &documented{area: area, path: item, op: op}
		}
	}
	return nil
}

func (b *builder) build() *Model {
	for _, r := range b.routes {
		if at := collectionOf(r); at != "" {
			b.collections[shapeOf(at)] = &Collection{Template: at}
		}
	}
	m := &Model{root: newNode()}
	for _, r := range b.routes {
		for method, d := range r.methods {
			op := b.operation(r, method, d)
			m.Operations = append(m.Operations, op)
			m.root.add(r.segments, op)
		}
	}
	slices.SortFunc(m.Operations, func(x, y *Operation) int {
		return cmp.Or(strings.Compare(x.Template, y.Template), strings.Compare(x.Method, y.Method))
	})
	m.Collections = slices.SortedFunc(maps.Values(b.collections), func(x, y *Collection) int {
		return strings.Compare(x.Template, y.Template)
	})
	for _, c := range m.Collections {
		b.describe(c, m.Operations)
	}
	return m
}

// collectionOf is the path of the collection that r shows to exist: r itself
// where it answers a list, and the path above r where r is one item with more to
// it than a POST. "" when it shows none.
func collectionOf(r *route) string {
	n := len(r.segments)
	if n == 0 {
		return ""
	}
	if !IsParam(r.segments[n-1]) {
		if get := r.methods["GET"]; get != nil && listKey(answerOf(get.op).Schema) != "" {
			return r.template
		}
		return ""
	}
	for method := range r.methods {
		if method != "POST" && n > 1 {
			return "/" + strings.Join(r.segments[:n-1], "/")
		}
	}
	return ""
}

// at is the collection of a path given by its first n segments; nil when it is none.
func (b *builder) at(steps []string, n int) *Collection {
	if n < 0 || n > len(steps) {
		return nil
	}
	return b.collections[shapeOf("/"+strings.Join(steps[:n], "/"))]
}

// singleton is the one thing at a path, made when first asked for.
func (b *builder) singleton(r *route) *Collection {
	shape := shapeOf(r.template)
	if b.collections[shape] == nil {
		b.collections[shape] = &Collection{Template: r.template, Singleton: true}
	}
	return b.collections[shape]
}

// Steps are the segments of a template or an escaped path.
func Steps(template string) []string {
	return strings.FieldsFunc(template, func(r rune) bool { return r == '/' })
}

// IsParam reports whether a template's segment is a parameter.
func IsParam(segment string) bool { return strings.HasPrefix(segment, "{") }

// shapeOf is a template without the names of its parameters.
func shapeOf(template string) string {
	steps := Steps(template)
	for i, s := range steps {
		if IsParam(s) {
			steps[i] = "{}"
		}
	}
	return strings.Join(steps, "/")
}
