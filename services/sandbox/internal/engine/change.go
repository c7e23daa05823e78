package engine

import (
	"errors"
	"net/http"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/shape"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/store"
)

// replace sets everything that the caller may set anew; what was left out goes
// back to its default.
func (w *work) replace() (outcome, error) {
	place, record, err := w.target()
	if refused, ok := errors.AsType[*refusal.Refusal](err); ok && refused.Status == http.StatusNotFound && w.Op.On.Upsert {
		return w.create()
	}
	if err != nil {
		return outcome{}, err
	}
	data := w.object()
	if w.Op.Body != nil && w.Op.Body.Schema != nil {
		shape.Defaults(w.Op.Body.Schema, data)
	}
	for _, s := range w.Op.On.Items {
		for _, name := range shape.Names(s) {
			if old, had := record.Data[name]; had && shape.ReadOnly(shape.Property(s, name)) {
				data[name] = old
			}
		}
	}
	return w.change(place, record, data)
}

// patch changes what the body names.
func (w *work) patch() (outcome, error) {
	place, record, err := w.target()
	if err != nil {
		return outcome{}, err
	}
	return w.change(place, record, shape.Merge(record.Data, w.object()))
}

func (w *work) change(place store.Place, record *store.Record, data map[string]any) (outcome, error) {
	c := w.Op.On
	if c.Key.Field != "" && !c.Singleton {
		said, named := data[c.Key.Field]
		if named && !c.Key.Generated && textOf(said) != record.Key {
			return outcome{}, refusal.Body(http.StatusBadRequest, "/"+c.Key.Field, "It cannot be changed.")
		}
		data[c.Key.Field] = c.Key.Value(record.Key)
	}
	before := record.Data
	record.Data = data
	if w.Op.Body != nil && w.Op.Body.Raw {
		record.Blob, record.Media = w.Body, w.Media
		delete(record.Data, "size") // counted anew
	}
	w.complete(c, record)
	w.touch(c, record.Data)
	if err := w.check(c, record, before); err != nil {
		return outcome{}, err
	}
	if err := w.save(place, record, store.Updating); err != nil {
		return outcome{}, err
	}
	return w.wrote(record)
}

func (w *work) remove() (outcome, error) {
	place, record, err := w.target()
	if err != nil {
		return outcome{}, err
	}
	if err = w.goneWithAll(place, record.Key); err != nil {
		return outcome{}, err
	}
	if w.Op.Answer.Pending {
		err = w.save(place, record, store.Deleting)
	} else {
		err = w.tx.Delete(place, itemPath(place.Path, record.Key))
	}
	if err != nil {
		return outcome{}, err
	}
	return w.removed(record)
}
