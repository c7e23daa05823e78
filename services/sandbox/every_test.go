package sandbox

import (
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/comporta-mcp/comporta/services/catalogs"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/model"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/shape"
)

// maxVariants bounds the bodies that one resource is tried with.
const maxVariants = 30

func TestEveryResourceGivesBackWhatWasWrittenAlsoAfterARestart(t *testing.T) {
	for name, docs := range map[string]map[string]fs.FS{"garden": gardens(), "areas": catalogs.Documents()} {
		t.Run(name, func(t *testing.T) {
			b := open(t, docs)
			written, good := 0, 0
			for _, c := range b.server.engine.Model.Collections {
				if !b.writable(c.Template) {
					continue
				}
				written++
				fine := t.Run(strings.Trim(c.Template, "/"), func(t *testing.T) {
					b.t = t
					b.reset() // else it may be on a list's second page
					everyVariant(b, c.Template)
				})
				if fine {
					good++
				}
			}
			b.t = t
			t.Logf("%d of %d resources gave back what was written, with a restart after each step", good, written)
		})
	}
}

func (b *box) reset() {
	b.t.Helper()
	b.do(200, "", "POST", fmt.Sprintf("/_sandbox/reset?account=%d", company("admin")), nil)
}

// writable reports whether anything writes a collection.
func (b *box) writable(template string) bool {
	ops := b.on(template)
	return ops.of(model.Create) != nil || ops.of(model.Replace) != nil
}

func everyVariant(b *box, template string) {
	w := &writer{branches: 1}
	for ; w.variant < min(w.branches, maxVariants); w.variant++ {
		if !oneLife(b, template, w) {
			return
		}
	}
}

// oneLife makes, reads, lists, changes, replaces and deletes one item; the first is
// read after a restart each time.
func oneLife(b *box, template string, w *writer) bool {
	again := func() {
		if w.variant == 0 {
			b.restart()
		}
	}
	path, written := b.make(b.on(template), w)
	again()
	ops := b.on(template)
	b.wantRead(ops, path, written)
	b.wantListed(ops, path)
	next := *w
	next.variant++
	for _, kind := range []model.Kind{model.Patch, model.Replace} {
		if op := ops.of(kind); op != nil {
			body := next.body(op)
			b.expect(op, path, keepKey(ops.c, body, written))
			again()
			b.wantRead(ops, path, keepKey(ops.c, body, written))
		}
	}
	if op := ops.of(model.Delete); op != nil && !ops.c.Singleton {
		b.expect(op, path, nil)
		again()
		b.pass(b.server.engine.PendingFor)
		if ops.of(model.Retrieve) != nil {
			b.do(http.StatusNotFound, "admin", "GET", path, nil)
		}
	}
	return !b.t.Failed()
}

// operations are those of one collection.
type operations struct {
	m *model.Model
	c *model.Collection
}

// on is a collection of the model that is served now, by its path.
func (b *box) on(path string) operations {
	m := b.model
	return operations{m, m.Collection(path)}
}

// of is the collection's operation of a kind; nil when it has none. Of several
// creates it is the collection's own.
func (o operations) of(kind model.Kind) *model.Operation {
	var found *model.Operation
	for _, op := range o.m.Operations {
		if op.On == o.c && op.Kind == kind && (found == nil || op.Template == o.c.Template) {
			found = op
		}
	}
	return found
}

// path is the collection's path of an item's path.
func (o operations) path(item string) string {
	if o.c.Singleton {
		return item
	}
	return item[:strings.LastIndex(item, "/")]
}

func (w *writer) body(op *model.Operation) any {
	switch {
	case op.Body == nil:
		return nil
	case op.Body.Raw:
		return fmt.Appendf(nil, "bytes %d", w.variant)
	case op.Body.Schema == nil:
		return map[string]any{}
	}
	return w.value("field", op.Body.Schema, 20)
}

// keepKey leaves a maker's own key as it was: it cannot be changed.
func keepKey(c *model.Collection, body, before any) any {
	now, isObject := body.(map[string]any)
	was, wasObject := before.(map[string]any)
	if isObject && wasObject && !c.Key.Generated && now[c.Key.Field] != nil {
		now[c.Key.Field] = was[c.Key.Field]
	}
	return body
}

// make makes an item with all the parents it needs, and gives its path.
func (b *box) make(ops operations, w *writer) (path string, written any) {
	b.t.Helper()
	at := b.parents(ops)
	if ops.c.Singleton || ops.of(model.Create) == nil {
		path = at
		op := ops.of(model.Replace)
		if !ops.c.Singleton {
			path += fmt.Sprintf("/key-%d", w.variant)
		}
		written = w.body(op)
		b.expect(op, path, written)
		return path, written
	}
	op := ops.of(model.Create)
	written = w.body(op)
	target := at
	if steps := model.Steps(op.Template); model.IsParam(steps[len(steps)-1]) {
		target += fmt.Sprintf("/key-%d", w.variant)
		b.expect(op, target, written)
		return target, written
	}
	made := b.expect(op, target, written)
	key := text(made.data()[ops.c.Key.Field])
	if key == "" {
		key = text(made.body[ops.c.Key.Field])
	}
	return at + model.Concrete([]string{key}), written
}

// parents is the concrete path of a collection, below freshly made items.
func (b *box) parents(ops operations) string {
	b.t.Helper()
	at := ""
	steps := model.Steps(ops.c.Template)
	for i, step := range steps {
		if !model.IsParam(step) {
			at += "/" + step
			continue
		}
		above := b.on(at)
		if above.c == nil {
			b.t.Fatalf("%s: nothing makes what stands for %s", ops.c.Template, steps[i])
		}
		at, _ = b.makeBelow(above, at)
	}
	return at
}

// makeBelow makes an item in the collection at a path.
func (b *box) makeBelow(ops operations, at string) (string, any) {
	b.t.Helper()
	op := ops.of(model.Create)
	if op == nil {
		b.t.Fatalf("%s has no create", ops.c.Template)
	}
	w := &writer{}
	body := w.body(op)
	if !ops.c.Key.Generated { // a name of its maker's choice may be taken
		b.reset()
	}
	made := b.expect(op, at, body)
	return at + model.Concrete([]string{text(made.data()[ops.c.Key.Field])}), body
}

// expect sends an operation as admin and wants its documented answer, in the
// form that its document gives it.
func (b *box) expect(op *model.Operation, path string, body any) got {
	b.t.Helper()
	b.fit(op, path, body)
	change := []func(*http.Request){}
	if op.Body != nil && op.Body.Raw {
		change = append(change, with("Content-Type", "text/plain"))
	}
	g := b.do(op.Answer.Status, "admin", op.Method, path, body, change...)
	if op.Answer.Schema == nil {
		return g
	}
	for _, wrong := range shape.ValidateAnswer(op.Answer.Schema, anyOf(g)) {
		b.t.Errorf("%s answers what its document does not say, at %q: %s\n%s", op.ID, wrong.Pointer, wrong.Reason, g.raw)
	}
	return g
}

func anyOf(g got) any {
	v, _ := shape.Decode(g.raw)
	return v
}

func (b *box) wantRead(ops operations, path string, written any) {
	b.t.Helper()
	op := ops.of(model.Retrieve)
	if op == nil {
		return
	}
	g := b.expect(op, path, nil)
	if raw, ok := written.([]byte); ok {
		if string(g.raw) != string(raw) {
			b.t.Errorf("%s: wrote %q, read %q", op.ID, raw, g.raw)
		}
		return
	}
	read := any(g.data())
	if g.data() == nil {
		read = g.body
	}
	if where := lost("", ops.input(), written, read); where != "" {
		b.t.Errorf("%s lost %s\nwrote %v\nread %s", op.ID, where, written, g.raw)
	}
}

func (o operations) input() *openapi3.Schema {
	if o.c.Input != nil {
		return o.c.Input
	}
	return &openapi3.Schema{}
}

func (b *box) wantListed(ops operations, path string) {
	b.t.Helper()
	op := ops.of(model.List)
	if op == nil || op.Answer.ListKey != "results" {
		return
	}
	g := b.expect(op, ops.path(path), nil)
	for _, item := range g.results() {
		if strings.HasSuffix(path, model.Concrete([]string{text(item[ops.c.Key.Field])})) {
			return
		}
	}
	b.t.Errorf("%s does not list %s: %s", op.ID, path, g.raw)
}
