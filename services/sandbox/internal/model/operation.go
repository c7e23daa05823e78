package model

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

func (b *builder) operation(r *route, method string, d *documented) *Operation {
	op := &Operation{
		ID:       d.op.OperationID,
		Area:     d.area,
		Method:   method,
		Template: r.template,
		Body:     bodyOf(d.op),
		Answer:   answerOf(d.op),
	}
	if op.ID == "" {
		op.ID = method + " " + r.template
	}
	op.parameters(r, d)
	op.Kind, op.On = b.classify(r, method, op)
	if op.Kind == Act {
		op.Answer = atOnce(d.op) // nothing stays that could be asked later
	}
	op.Parents = b.parents(r, op)
	return op
}

// classify reads from path and method what the operation does, and to what.
func (b *builder) classify(r *route, method string, op *Operation) (Kind, *Collection) {
	steps := r.segments
	n := len(steps)
	if n == 0 {
		return Act, nil
	}
	if IsParam(steps[n-1]) {
		return b.classifyItem(r, method)
	}
	here := b.at(steps, n)
	switch {
	case method == "GET" && op.Answer.ListKey != "":
		return List, here
	case method == "POST" && here != nil:
		return Create, here
	case method == "POST" && steps[n-1] == "clone" && b.at(steps, n-2) != nil:
		return Clone, b.at(steps, n-2)
	case method == "PUT" && steps[n-1] == "order" && b.at(steps, n-1) != nil:
		return Order, b.at(steps, n-1)
	case method == "POST":
		if beside := b.beside(r, op); beside != nil {
			return Create, beside
		}
		return Act, nil
	case here != nil && !here.Singleton || r.methods["GET"] == nil:
		return Act, nil // a bulk PUT, PATCH or DELETE
	}
	return onOne[method], b.singleton(r)
}

var onOne = map[string]Kind{"GET": Retrieve, "PUT": Replace, "PATCH": Patch, "DELETE": Delete}

func (b *builder) classifyItem(r *route, method string) (Kind, *Collection) {
	n := len(r.segments)
	if above := b.at(r.segments, n-1); above != nil {
		if method == "POST" {
			return Create, above // its key is in the path
		}
		if kind, ok := onOne[method]; ok {
			return kind, above
		}
	}
	if source := b.at(r.segments, n-3); method == "POST" && source != nil && r.segments[n-2] == "copy" {
		return Copy, source
	}
	return Act, nil
}

// beside finds the collection into which a POST on a path of its own puts its
// answer: the nearest one whose items have the answer's very schema.
func (b *builder) beside(r *route, op *Operation) *Collection {
	made := op.Answer.Data()
	var best *Collection
	nearest := 0
	for _, shape := range slices.Sorted(maps.Keys(b.collections)) {
		c := b.collections[shape]
		item := b.routes[shapeOf(c.Template+"/{}")]
		if item == nil || item.methods["GET"] == nil || answerOf(item.methods["GET"].op).Data() != made {
			continue
		}
		near := shared(Steps(shape), Steps(shapeOf(r.template)))
		if near > nearest && !strings.Contains(strings.Join(Steps(shape)[near:], "/"), "{}") {
			best, nearest = c, near
		}
	}
	return best
}

func shared(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// parents are the items that r passes through on the way to its target.
func (b *builder) parents(r *route, op *Operation) []Parent {
	var all []Parent
	for i, step := range r.segments {
		above := b.at(r.segments, i)
		if !IsParam(step) || above == nil || above == op.On && op.Kind != List {
			continue
		}
		all = append(all, Parent{On: above, Depth: i + 1})
	}
	return all
}

func (op *Operation) parameters(r *route, d *documented) {
	byPlace := map[string]*openapi3.Parameter{}
	for _, ref := range slices.Concat(d.path.Parameters, d.op.Parameters) {
		byPlace[ref.Value.In+" "+ref.Value.Name] = ref.Value
	}
	for _, key := range slices.Sorted(maps.Keys(byPlace)) {
		if p := byPlace[key]; p.In == openapi3.ParameterInQuery {
			op.Query = append(op.Query, p)
		}
	}
	for _, step := range r.segments {
		if IsParam(step) {
			op.Path = append(op.Path, byPlace["path "+strings.Trim(step, "{}")])
		}
	}
}

func bodyOf(op *openapi3.Operation) *Body {
	if op.RequestBody == nil || op.RequestBody.Value == nil {
		return nil
	}
	body := &Body{Required: op.RequestBody.Value.Required}
	media := op.RequestBody.Value.Content["application/json"]
	if media == nil {
		body.Raw = true
		return body
	}
	if media.Schema != nil {
		body.Schema = media.Schema.Value
	}
	return body
}

// answerOf is the good answer of an operation: the documented 202, since the
// sandbox takes every documented chance to be slow, else the lowest 2xx.
func answerOf(op *openapi3.Operation) Answer {
	if slow := op.Responses.Value("202"); slow != nil {
		return answerWith(202, slow.Value)
	}
	return atOnce(op)
}

// atOnce is the lowest documented 2xx that does not promise something for later.
func atOnce(op *openapi3.Operation) Answer {
	for _, text := range slices.Sorted(maps.Keys(op.Responses.Map())) {
		status, err := strconv.Atoi(text)
		if err == nil && status/100 == 2 && status != 202 {
			return answerWith(status, op.Responses.Value(text).Value)
		}
	}
	return Answer{Status: 200}
}

func answerWith(status int, r *openapi3.Response) Answer {
	a := Answer{Status: status, Pending: status == 202}
	media := r.Content["application/json"]
	switch {
	case media == nil:
		a.Raw = len(r.Content) > 0
	case media.Schema != nil:
		a.Schema = media.Schema.Value
		a.ListKey = listKey(a.Schema)
	}
	return a
}
