package engine

import (
	"path"
	"strings"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/model"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/shape"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/store"
)

// clone copies an item and everything below it; the body's fields replace the
// copy's own.
func (w *work) clone() (outcome, error) {
	c := w.Op.On
	_, source, err := w.target()
	if err != nil {
		return outcome{}, err
	}
	data := shape.Merge(source.Data, w.object())
	key, err := w.newKey(c, data)
	if err != nil {
		return outcome{}, err
	}
	renew(c, data, source.Key)
	done, err := w.insert(key, data, content{bytes: source.Blob, media: source.Media})
	if err != nil {
		return outcome{}, err
	}
	return done, w.copyBelow(itemPath(w.path, source.Key), itemPath(w.path, key))
}

// copy puts the bytes and fields of an item under another key.
func (w *work) copy() (outcome, error) {
	_, source, err := w.target()
	if err != nil {
		return outcome{}, err
	}
	data := shape.Clone(source.Data)
	renew(w.Op.On, data, source.Key)
	return w.insert(w.Segments[len(w.Segments)-1], data, content{bytes: source.Blob, media: source.Media})
}

// renew forgets what only the platform sets, and the old key under any of its
// names, so that the copy gets its own.
func renew(c *model.Collection, data map[string]any, oldKey string) {
	for _, s := range c.Items {
		for _, name := range shape.Names(s) {
			if shape.ReadOnly(shape.Property(s, name)) {
				delete(data, name)
			}
		}
	}
	for _, alias := range c.Key.Aliases {
		if textOf(data[alias]) == oldKey {
			delete(data, alias)
		}
	}
}

// copyBelow copies every record under one path to another; items whose ids the
// platform chooses get new ones, what lies below them moves along, and what they
// name of each other is the copy's.
func (w *work) copyBelow(from, to string) error {
	places, records, err := w.tx.Below(w.account, from)
	if err != nil {
		return err
	}
	moved := map[string]string{from: to}
	var copies []copied
	for i, place := range places {
		record, c := records[i], w.Model.Collection(place.Path)
		if c == nil || !record.Now(w.at) {
			continue
		}
		target, ok := movedTo(moved, place.Path)
		if !ok {
			continue // below something that is gone
		}
		key := record.Key
		if c.Key.Generated && !c.Singleton && c.Input != nil {
			if key, err = w.newKey(c, record.Data); err != nil {
				return err
			}
			record.Data[c.Key.Field] = c.Key.Value(key)
		}
		moved[itemPath(place.Path, record.Key)] = itemPath(target, key)
		record.Key, record.Change, record.Created = key, store.Settled, w.at
		copies = append(copies, copied{c, record, store.Place{Account: w.account, Path: target, Sort: c.Key.Sort(key)}})
	}
	for _, one := range copies {
		w.redirect(one.in, one.record.Data, moved)
		w.touch(one.in, one.record.Data)
		if err := w.tx.Put(one.place, one.record); err != nil {
			return err
		}
	}
	return nil
}

// copied is one record on its way to its place in a clone.
type copied struct {
	in     *model.Collection
	record *store.Record
	place  store.Place
}

// movedTo is where a collection's path lies now: under the nearest item above it
// that has moved.
func movedTo(moved map[string]string, collection string) (string, bool) {
	for above := collection; above != "/" && above != "."; above = path.Dir(above) {
		if to, ok := moved[above]; ok {
			return to + strings.TrimPrefix(collection, above), true
		}
	}
	return "", false
}
