package model

import (
	"maps"
	"net/url"
	"slices"
	"strings"
)

// node is one segment of the known paths.
type node struct {
	literal map[string]*node
	param   *node
	methods map[string]*Operation
}

func newNode() *node {
	return &node{literal: map[string]*node{}, methods: map[string]*Operation{}}
}

func (n *node) add(steps []string, op *Operation) {
	for _, step := range steps {
		if IsParam(step) {
			if n.param == nil {
				n.param = newNode()
			}
			n = n.param
			continue
		}
		if n.literal[step] == nil {
			n.literal[step] = newNode()
		}
		n = n.literal[step]
	}
	n.methods[op.Method] = op
}

// find prefers a literal segment to a parameter.
func (n *node) find(steps []string) *node {
	if len(steps) == 0 {
		if len(n.methods) == 0 {
			return nil
		}
		return n
	}
	if next := n.literal[steps[0]]; next != nil {
		if found := next.find(steps[1:]); found != nil {
			return found
		}
	}
	if n.param != nil && steps[0] != "" {
		return n.param.find(steps[1:])
	}
	return nil
}

// Match is a request's path laid on the documents.
type Match struct {
	Segments []string // decoded
	methods  map[string]*Operation
}

// Match finds the path, given as it stands in the request line: one segment of
// it is one value, so an encoded slash stays inside its segment.
func (m *Model) Match(escapedPath string) (Match, bool) {
	steps := strings.Split(strings.TrimPrefix(escapedPath, "/"), "/")
	for i, step := range steps {
		decoded, err := url.PathUnescape(step)
		if err != nil {
			return Match{}, false
		}
		steps[i] = decoded
	}
	found := m.root.find(steps)
	if found == nil {
		return Match{}, false
	}
	return Match{Segments: steps, methods: found.methods}, true
}

// Operation is the operation of a method; nil when the path has none.
func (m Match) Operation(method string) *Operation { return m.methods[method] }

// Allow are the path's methods, sorted, for the Allow header.
func (m Match) Allow() string {
	return strings.Join(slices.Sorted(maps.Keys(m.methods)), ", ")
}

// Collection is the collection that lies at a concrete, escaped path; nil when none does.
func (m *Model) Collection(path string) *Collection {
	steps := Steps(path)
	i := slices.IndexFunc(m.Collections, func(c *Collection) bool {
		return slices.EqualFunc(Steps(c.Template), steps, func(of, step string) bool {
			return IsParam(of) || of == step
		})
	})
	if i < 0 {
		return nil
	}
	return m.Collections[i]
}

// Concrete is a path made of decoded segments.
func Concrete(steps []string) string {
	var b strings.Builder
	for _, step := range steps {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(step))
	}
	return b.String()
}
