// Package listing answers lists: which items a query wants, in which order,
// which page of them, which fields. It works on items as decoded JSON and on
// the document's query parameters.
package listing

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/model"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/shape"
)

// Sizes of a page: without page_size, and at most (the platform's own).
const (
	DefaultPageSize = 10
	MaxPageSize     = 100
)

// Query is a list request, read.
type Query struct {
	filters []filter
	search  string
	order   []term
	fields  []string

	page, size int

	// Lists by continuation token instead of pages.
	byToken  bool
	after    string
	prefix   string
	topLevel bool // folders instead of what lies in them
}

// Parse reads the query of a list operation. Parameters that the document does
// not name are refused: a filter that does nothing hides mistakes.
func Parse(op *model.Operation, values url.Values, maxSize int) (*Query, error) {
	if err := Known(op, values); err != nil {
		return nil, err
	}
	q := &Query{page: 1, size: DefaultPageSize}
	for _, p := range op.Query {
		if !values.Has(p.Name) {
			q.byToken = q.byToken || p.Name == "continuation_token"
			continue
		}
		if err := q.take(op, p, values.Get(p.Name)); err != nil {
			return nil, err
		}
	}
	if q.byToken && !slices.ContainsFunc(op.Query, isSize) {
		q.size = maxSize
	}
	q.size = min(q.size, maxSize)
	return q, nil
}

func isSize(p *openapi3.Parameter) bool { return sizeNames[p.Name] }

// sizeNames are what the platform's lists call the size of a page.
var sizeNames = map[string]bool{"page_size": true, "max_object_count": true, "max_keys": true, "limit": true}

func (q *Query) take(op *model.Operation, p *openapi3.Parameter, value string) error {
	var err error
	switch {
	case p.Name == "page":
		q.page, err = positive(p.Name, value)
	case sizeNames[p.Name]:
		q.size, err = positive(p.Name, value)
	case p.Name == "search":
		q.search = value
	case p.Name == "ordering":
		q.order, err = parseOrder(op, value)
	case p.Name == "fields":
		q.fields = Fields(value)
	case p.Name == "continuation_token":
		q.byToken, q.after = true, value
	case p.Name == "prefix":
		q.prefix = value
	case p.Name == "all_levels":
		q.topLevel = value == "false"
	default:
		var f filter
		f, err = parseFilter(op, p, value)
		q.filters = append(q.filters, f)
	}
	return err
}

func positive(name, value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		return 0, refusal.Parameter(http.StatusBadRequest, name, "It must be a whole number from 1.")
	}
	return n, nil
}

// Known refuses query parameters that the operation's document does not have.
func Known(op *model.Operation, values url.Values) error {
	for name := range values {
		if !slices.ContainsFunc(op.Query, func(p *openapi3.Parameter) bool { return p.Name == name }) {
			return refusal.Parameter(http.StatusBadRequest, name, "This operation has no such parameter.")
		}
	}
	return nil
}

// Fields reads a comma-separated list of field names.
func Fields(value string) []string {
	var names []string
	for name := range strings.SplitSeq(value, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Pick keeps only the named fields of v; a dot goes into an object. No names
// keep all.
func Pick(v map[string]any, names []string) map[string]any {
	if len(names) == 0 {
		return v
	}
	out := map[string]any{}
	for _, name := range names {
		pick(v, out, strings.Split(name, "."))
	}
	return out
}

func pick(from, into map[string]any, path []string) {
	v, ok := from[path[0]]
	if !ok {
		return
	}
	inner, isObject := v.(map[string]any)
	if len(path) == 1 || !isObject {
		into[path[0]] = v
		return
	}
	picked, _ := into[path[0]].(map[string]any)
	if picked == nil {
		picked = map[string]any{}
	}
	into[path[0]] = picked
	pick(inner, picked, path[1:])
}

func itemProperty(op *model.Operation, name string) *openapi3.Schema {
	if op.On == nil {
		return nil
	}
	for _, s := range op.On.Items {
		if p := shape.Property(s, name); p != nil {
			return p
		}
	}
	return nil
}
