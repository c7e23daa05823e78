package engine

import (
	"net/http"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/model"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/shape"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/store"
)

// checkPath checks the path's values against their schemas. Something that cannot
// be an id names nothing, so it is not found rather than invalid.
func (w *work) checkPath() error {
	values := pathValues(w.Op, w.Segments)
	for i, p := range w.Op.Path {
		if p == nil || p.Schema == nil {
			continue
		}
		s := p.Schema.Value
		if shape.Type(s) == openapi3.TypeInteger {
			n, err := strconv.ParseInt(values[i], 10, 64)
			if err != nil || strconv.FormatInt(n, 10) != values[i] {
				return refusal.NotFound()
			}
			continue
		}
		if wrong := shape.Validate(s, values[i]); wrong != nil {
			return refusal.Parameter(http.StatusBadRequest, p.Name, wrong[0].Reason)
		}
	}
	return nil
}

// collectionPath is where the operation's collection lies: its template with the
// request's own values. A create beside its collection (/certificates/request)
// shares the path above it only.
func (w *work) collectionPath() string {
	if w.Op.On == nil {
		return ""
	}
	steps := model.Steps(w.Op.On.Template)
	for i, step := range steps {
		if model.IsParam(step) {
			steps[i] = w.Segments[i]
		}
	}
	return model.Concrete(steps)
}

// pathValues are the values of the template's parameters, in its order.
func pathValues(op *model.Operation, steps []string) []string {
	var values []string
	for i, step := range model.Steps(op.Template) {
		if model.IsParam(step) {
			values = append(values, steps[i])
		}
	}
	return values
}

// checkParents wants every item above the target to exist; nothing is written
// below one that is being deleted.
func (w *work) checkParents() error {
	for _, p := range w.Op.Parents {
		key := w.Segments[p.Depth-1]
		_, parent, err := w.find(p.On, model.Concrete(w.Segments[:p.Depth-1]), key)
		if err != nil {
			return err
		}
		if parent.Change == store.Deleting && w.Op.Method != http.MethodGet {
			return beingDeleted()
		}
	}
	return nil
}

// key is the target item's key, from the path.
func (w *work) key() string {
	if w.Op.On.Singleton {
		return ""
	}
	return w.Segments[w.Op.On.Depth()]
}

// target is the item that the path names.
func (w *work) target() (store.Place, *store.Record, error) {
	place, record, err := w.find(w.Op.On, w.path, w.key())
	if err == nil && record.Change == store.Deleting && w.Op.Method != http.MethodGet {
		err = beingDeleted()
	}
	return place, record, err
}

// find is a live item, else a refusal. A singleton is there by itself, and a
// collection that nothing writes has the items of its document.
func (w *work) find(c *model.Collection, path, key string) (store.Place, *store.Record, error) {
	place := store.Place{Account: w.account, Path: path, Sort: c.Key.Sort(key)}
	record, err := w.tx.Get(place)
	if err != nil {
		return place, nil, err
	}
	if record != nil && record.Now(w.at) {
		return place, record, nil
	}
	if c.Singleton {
		return place, w.fresh(c, "", map[string]any{}, content{}), nil
	}
	for _, seed := range w.seeds(c) {
		if seed.Key == key {
			return place, seed, nil
		}
	}
	return place, nil, refusal.NotFound()
}

func (w *work) seeds(c *model.Collection) []*store.Record {
	var records []*store.Record
	for _, seed := range c.Seeds {
		data := shape.Clone(seed)
		records = append(records, w.fresh(c, textOf(data[c.Key.Field]), data, content{}))
	}
	return records
}

func beingDeleted() error {
	return refusal.New(http.StatusConflict, "The resource is being deleted.")
}
