package engine

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/model"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/shape"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/store"
)

func (w *work) create() (outcome, error) {
	data := w.object()
	if w.Op.Body != nil && w.Op.Body.Schema != nil {
		shape.Defaults(w.Op.Body.Schema, data)
	}
	key, err := w.newKey(w.Op.On, data)
	if err != nil {
		return outcome{}, err
	}
	if w.keyInPath() {
		key = w.key()
	}
	return w.insert(key, data, w.content())
}

// content is what a raw resource consists of.
type content struct {
	bytes []byte
	media string
}

// content is the request's body, where the operation takes it as it is.
func (w *work) content() content {
	if w.Op.Body == nil || !w.Op.Body.Raw {
		return content{}
	}
	return content{bytes: w.Body, media: w.Media}
}

// keyInPath reports whether a create names its item in its path.
func (w *work) keyInPath() bool {
	steps := model.Steps(w.Op.Template)
	return len(steps) == w.Op.On.Depth()+1 && model.IsParam(steps[len(steps)-1])
}

// insert puts a new item into the operation's collection.
func (w *work) insert(key string, data map[string]any, raw content) (outcome, error) {
	c := w.Op.On
	place := store.Place{Account: w.account, Path: w.path, Sort: c.Key.Sort(key)}
	if err := w.vacate(place, key); err != nil {
		return outcome{}, err
	}
	if c.Ordered {
		last, err := w.lastOrder()
		if err != nil {
			return outcome{}, err
		}
		data["order"] = ordinal(c, last+1)
	}
	record := w.fresh(c, key, data, raw)
	if err := w.check(c, record, nil); err != nil {
		return outcome{}, err
	}
	if err := w.save(place, record, store.Creating); err != nil {
		return outcome{}, err
	}
	return w.wrote(record)
}

// vacate makes sure that a place is free; what is gone by now is cleared away.
func (w *work) vacate(place store.Place, key string) error {
	before, err := w.tx.Get(place)
	if before == nil || err != nil {
		return err
	}
	if before.Now(w.at) {
		return refusal.Body(http.StatusConflict, "/"+w.Op.On.Key.Field, fmt.Sprintf("%q exists already.", key))
	}
	return w.tx.Delete(place, itemPath(place.Path, key))
}

// fresh is a new item, complete in every schema that will show it.
func (w *work) fresh(c *model.Collection, key string, data map[string]any, raw content) *store.Record {
	if c.Key.Field != "" && key != "" {
		data[c.Key.Field] = c.Key.Value(key)
	}
	record := &store.Record{Key: key, Data: data, Created: w.at, Blob: raw.bytes, Media: raw.media}
	w.complete(c, record)
	return record
}

// complete fills what only the platform sets and the record lacks.
func (w *work) complete(c *model.Collection, r *store.Record) {
	f := facts{at: w.at, email: w.Holder.Person.Email, key: c.Key, id: r.Key, size: len(r.Blob)}
	for _, s := range c.Items {
		shape.Fill(s, r.Data, f)
	}
}

// newKey is the key of a new item: the platform's next id, or what the body says.
func (w *work) newKey(c *model.Collection, data map[string]any) (string, error) {
	if !c.Key.Generated {
		key := textOf(data[c.Key.Field])
		if key == "" {
			return "", refusal.Body(http.StatusBadRequest, "/"+c.Key.Field, "This field is required.")
		}
		return key, nil
	}
	id, err := w.tx.NextID()
	if err != nil {
		return "", err
	}
	if !c.Key.Integer && c.HasUUIDs() {
		return fmt.Sprintf("5a9db0c5-0000-4000-8000-%012x", id), nil
	}
	return strconv.FormatInt(id, 10), nil
}

// save keeps a record; where the document promises 202, change goes on for a while.
func (w *work) save(place store.Place, r *store.Record, change store.Change) error {
	if w.Op.Answer.Pending {
		if r.Change != store.Creating || change == store.Deleting {
			r.Change = change
		}
		r.Until = w.at.Add(w.PendingFor)
	}
	return w.tx.Put(place, r)
}

func itemPath(collection, key string) string { return collection + model.Concrete([]string{key}) }
