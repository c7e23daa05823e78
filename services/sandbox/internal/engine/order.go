package engine

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/model"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/shape"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/store"
)

// order puts the named items first, in the order named; the others follow as
// they stood.
func (w *work) order() (outcome, error) {
	records, err := w.items()
	if err != nil {
		return outcome{}, err
	}
	wanted, err := w.wantedOrder(records)
	if err != nil {
		return outcome{}, err
	}
	rank := func(r *store.Record) int {
		if i := slices.Index(wanted, r.Key); i >= 0 {
			return i
		}
		return len(wanted)
	}
	slices.SortStableFunc(records, func(a, b *store.Record) int { return cmp.Compare(rank(a), rank(b)) })
	for i, r := range records {
		r.Data["order"] = ordinal(w.Op.On, i)
		w.touch(w.Op.On, r.Data)
		if err := w.tx.Put(store.Place{Account: w.account, Path: w.path, Sort: w.Op.On.Key.Sort(r.Key)}, r); err != nil {
			return outcome{}, err
		}
	}
	a, err := w.orderAnswer()
	return outcome{answer: a, name: w.path, path: w.path}, err
}

func (w *work) orderAnswer() (Answer, error) {
	if w.Op.Answer.ListKey == "" {
		return w.enveloped("executed", w.object())
	}
	return w.listAnswer(w.Query, w.MaxPageSize)
}

func (w *work) wantedOrder(records []*store.Record) ([]string, error) {
	list, _ := w.object()["order"].([]any)
	var wanted []string
	for i, v := range list {
		key, at := textOf(v), "/order/"+strconv.Itoa(i)
		if !slices.ContainsFunc(records, func(r *store.Record) bool { return r.Key == key }) {
			return nil, refusal.Body(http.StatusBadRequest, at, "There is no such item here: "+key+".")
		}
		if slices.Contains(wanted, key) {
			return nil, refusal.Body(http.StatusBadRequest, at, key+" stands in the order twice.")
		}
		wanted = append(wanted, key)
	}
	return wanted, nil
}

func orderOf(r *store.Record) int {
	n, err := strconv.Atoi(textOf(r.Data["order"]))
	if err != nil {
		return -1 // it was stored before its document had an order
	}
	return n
}

func (w *work) lastOrder() (int, error) {
	records, err := w.items()
	last := -1
	for _, r := range records {
		last = max(last, orderOf(r))
	}
	return last, err
}

// ordinal is a place in the order as the collection's items tell it: a number, or
// one in a text.
func ordinal(c *model.Collection, n int) any {
	for _, s := range c.Items {
		if p := shape.Property(s, "order"); p != nil && shape.Type(p) == openapi3.TypeString {
			return strconv.Itoa(n)
		}
	}
	return json.Number(strconv.Itoa(n))
}
