package engine

import (
	"cmp"
	"net/url"
	"slices"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/listing"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/shape"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/store"
)

func (w *work) retrieve() (outcome, error) {
	if err := listing.Known(w.Op, w.Query); err != nil {
		return outcome{}, err
	}
	_, record, err := w.target()
	if err != nil {
		return outcome{}, err
	}
	a, err := w.about(record)
	if names := listing.Fields(w.Query.Get("fields")); err == nil && len(names) > 0 && !w.Op.Answer.Raw {
		a, err = picked(a, names)
	}
	return outcome{answer: a}, err
}

// picked leaves only the named fields in an answer's data.
func picked(a Answer, names []string) (Answer, error) {
	v, err := shape.Decode(a.Body)
	if err != nil {
		return Answer{}, err
	}
	whole, _ := v.(map[string]any)
	if data, ok := whole["data"].(map[string]any); ok {
		whole["data"] = listing.Pick(data, names)
	} else {
		whole = listing.Pick(whole, names)
	}
	return encode(a.Status, whole)
}

func (w *work) list() (outcome, error) {
	a, err := w.listAnswer(w.Query, w.MaxPageSize)
	return outcome{answer: a}, err
}

// listAnswer answers the operation's collection as its list schema shows it.
func (w *work) listAnswer(query url.Values, maxSize int) (Answer, error) {
	q, err := listing.Parse(w.Op, query, maxSize)
	if err != nil {
		return Answer{}, err
	}
	records, err := w.items()
	if err != nil {
		return Answer{}, err
	}
	items := make([]listing.Item, len(records))
	for i, r := range records {
		view, _ := shape.Show(w.Op.Answer.Data(), w.present(w.Op.On, r)).(map[string]any)
		items[i] = listing.Item{View: view, Created: r.Created}
	}
	page, err := q.Run(items, w.Op.On.Key.Field, w.Self)
	if err != nil {
		return Answer{}, err
	}
	out := map[string]any{w.Op.Answer.ListKey: page.Items}
	page.Beside["state"] = "executed"
	for name, v := range page.Beside {
		if shape.Property(w.Op.Answer.Schema, name) != nil {
			out[name] = v
		}
	}
	return encode(w.Op.Answer.Status, out)
}

// items are the live items of the operation's collection, in their natural order.
func (w *work) items() ([]*store.Record, error) {
	c := w.Op.On
	records := w.seeds(c)
	for record, err := range w.tx.Items(w.account, w.path) {
		if err != nil {
			return nil, err
		}
		if record.Now(w.at) {
			records = append(records, record)
		}
	}
	if c.Ordered {
		slices.SortStableFunc(records, func(a, b *store.Record) int { return cmp.Compare(orderOf(a), orderOf(b)) })
	}
	return records, nil
}
