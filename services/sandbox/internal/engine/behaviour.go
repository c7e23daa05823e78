package engine

import (
	"net/http"
	"strconv"
	"time"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/model"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/shape"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/store"
)

// Behaviour is what the platform does with the items of one collection, or in one
// operation, beyond keeping what its document lets pass. Any of it may be nil.
type Behaviour struct {
	// Check looks at an item that is about to be kept. It completes what the
	// platform works out, in change.After, or refuses.
	Check func(change *Change) error
	// Show changes data, an item's own copy, into what it is at a moment.
	Show func(data map[string]any, at time.Time)
	// Gone follows the deletion of an item, or that of one above it.
	Gone func(account int64, key string) error
	// Act does what an operation that keeps nothing is for, and answers its data.
	Act func(act *Action) (map[string]any, error)
}

// Change is an item before and after a write.
type Change struct {
	Operation string // operationId
	Account   int64
	At        time.Time
	Pending   time.Duration  // how long the platform takes for what it cannot do at once
	Key       string         // of the item
	Before    map[string]any // nil: it is new
	After     map[string]any
	Said      map[string]any // the request's body

	w *work
}

// Others are the live items beside the changed one.
func (c *Change) Others() ([]map[string]any, error) {
	records, err := c.w.items()
	var all []map[string]any
	for _, r := range records {
		if r.Key != c.Key {
			all = append(all, r.Data)
		}
	}
	return all, err
}

// Alter changes the items beside the changed one for which f answers true.
func (c *Change) Alter(f func(data map[string]any) bool) error {
	records, err := c.w.items()
	if err != nil {
		return err
	}
	for _, r := range records {
		if r.Key == c.Key || !f(r.Data) {
			continue
		}
		place := store.Place{Account: c.Account, Path: c.w.path, Sort: c.w.Op.On.Key.Sort(r.Key)}
		if err := c.w.tx.Put(place, r); err != nil {
			return err
		}
	}
	return nil
}

// Above is the item that the changed one lies below; nil where none is.
func (c *Change) Above() (map[string]any, error) {
	parents := c.w.Op.Parents
	if len(parents) == 0 {
		return nil, nil
	}
	last := parents[len(parents)-1]
	_, record, err := c.w.find(last.On, model.Concrete(c.w.Segments[:last.Depth-1]), c.w.Segments[last.Depth-1])
	if err != nil {
		return nil, err
	}
	return record.Data, nil
}

// Action is a call of an operation that keeps nothing by itself.
type Action struct {
	Account int64
	At      time.Time
	Path    []string // values of the path's parameters
	Body    map[string]any

	w *work
}

// Keep writes an entry into a log of the account that no path of the platform
// shows; Log reads it.
func (a *Action) Keep(log string, entry map[string]any) error {
	id, err := a.w.tx.NextID()
	if err != nil {
		return err
	}
	key := model.Key{Integer: true}
	record := &store.Record{Key: strconv.FormatInt(id, 10), Data: entry, Created: a.At}
	return a.w.tx.Put(store.Place{Account: a.Account, Path: logPath(log), Sort: key.Sort(record.Key)}, record)
}

// Log is what Keep wrote, oldest first.
func (e *Engine) Log(account int64, log string) ([]map[string]any, error) {
	entries := []map[string]any{}
	err := e.Store.View(func(tx *store.Tx) error {
		for record, err := range tx.Items(account, logPath(log)) {
			if err != nil {
				return err
			}
			entries = append(entries, record.Data)
		}
		return nil
	})
	return entries, err
}

// logPath cannot be that of a collection, which begins with a slash.
func logPath(log string) string { return "log " + log }

// check runs what a collection wants of an item that is about to be kept.
func (w *work) check(c *model.Collection, r *store.Record, before map[string]any) error {
	if err := w.checkReferences(c, r.Data); err != nil {
		return err
	}
	behaviour := w.Behaviours[c.Template]
	if behaviour.Check == nil {
		return nil
	}
	return behaviour.Check(&Change{
		Operation: w.Op.ID, Account: w.account, At: w.at, Pending: w.PendingFor,
		Key: r.Key, Before: before, After: r.Data, Said: w.object(), w: w,
	})
}

// Reset forgets all that an account has: resources, effects, kept answers.
func (e *Engine) Reset(account int64) error {
	return e.Store.Update(func(tx *store.Tx) error {
		places, records, err := tx.Below(account, "")
		if err != nil {
			return err
		}
		for i, place := range places {
			if err := e.gone(place, records[i].Key); err != nil {
				return err
			}
		}
		return tx.Reset(account)
	})
}

// goneWithAll tells the behaviours of a deleted item and of all below it.
func (w *work) goneWithAll(place store.Place, key string) error {
	places, records, err := w.tx.Below(place.Account, itemPath(place.Path, key))
	if err != nil {
		return err
	}
	for i, below := range places {
		if err := w.gone(below, records[i].Key); err != nil {
			return err
		}
	}
	return w.gone(place, key)
}

func (e *Engine) gone(place store.Place, key string) error {
	c := e.Model.Collection(place.Path)
	if c == nil || e.Behaviours[c.Template].Gone == nil {
		return nil
	}
	return e.Behaviours[c.Template].Gone(place.Account, key)
}

// acted is the answer's data of an operation with a behaviour of its own; false
// where it has none.
func (w *work) acted() (map[string]any, bool, error) {
	behaviour := w.Behaviours[w.Op.ID]
	if behaviour.Act == nil {
		return nil, false, nil
	}
	body := w.object()
	if w.Op.Body != nil && w.Op.Body.Schema != nil {
		shape.Defaults(w.Op.Body.Schema, body)
	}
	data, err := behaviour.Act(&Action{
		Account: w.account, At: w.at, Path: pathValues(w.Op, w.Segments), Body: body, w: w,
	})
	return data, true, err
}

// Invalid is a refusal of one field of the body.
func Invalid(pointer, detail string) error {
	return refusal.Body(http.StatusBadRequest, pointer, detail)
}
