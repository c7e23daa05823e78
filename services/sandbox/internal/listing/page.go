package listing

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
)

// Item is one item as its list shows it.
type Item struct {
	View    map[string]any
	Created time.Time // for filters on a creation time that the view does not have
}

func (i Item) value(field string) any {
	if v, ok := i.View[field]; ok || !strings.HasPrefix(field, "created") {
		return v
	}
	return i.Created.Format(time.RFC3339Nano)
}

// Page is one page of a list, and what stands beside it.
type Page struct {
	Items  []map[string]any
	Beside map[string]any // count, total_pages, next, …: what the answer's schema has is shown
}

// Run picks from all items of a collection, given in their natural order with
// the key of each in keyField. self is the request's own URL, from which the
// URLs of the neighbouring pages are made.
func (q *Query) Run(items []Item, keyField string, self *url.URL) (Page, error) {
	kept := []map[string]any{}
	for _, item := range items {
		if q.wants(item, keyField) {
			kept = append(kept, item.View)
		}
	}
	sorted(kept, q.order)
	if q.byToken {
		return q.runByToken(q.folded(kept, keyField), keyField)
	}
	pages := max(1, (len(kept)+q.size-1)/q.size)
	if q.page > pages {
		return Page{}, refusal.Parameter(http.StatusNotFound, "page", "There is no such page.")
	}
	from := (q.page - 1) * q.size
	return Page{
		Items: q.picked(kept[from:min(from+q.size, len(kept))]),
		Beside: map[string]any{
			"count": len(kept), "total_pages": pages, "page": q.page, "page_size": q.size,
			"next":     neighbour(self, q.page+1, pages),
			"previous": neighbour(self, q.page-1, pages),
			"pagination": map[string]any{
				"page": q.page, "page_size": q.size, "total_count": len(kept), "total_pages": pages,
				"has_next": q.page < pages, "has_previous": q.page > 1,
			},
		},
	}, nil
}

func (q *Query) wants(item Item, keyField string) bool {
	for _, f := range q.filters {
		if !f.passes(item.value(f.field)) {
			return false
		}
	}
	if !strings.HasPrefix(text(item.View[keyField]), q.prefix) {
		return false
	}
	return q.search == "" || found(item.View, strings.ToLower(q.search))
}

func found(item map[string]any, want string) bool {
	for _, v := range item {
		switch v := v.(type) {
		case string:
			if strings.Contains(strings.ToLower(v), want) {
				return true
			}
		case json.Number:
			if v.String() == want {
				return true
			}
		}
	}
	return false
}

func (q *Query) picked(items []map[string]any) []map[string]any {
	out := make([]map[string]any, len(items))
	for i, item := range items {
		out[i] = Pick(item, q.fields)
	}
	return out
}

// folded puts a folder in the place of everything that lies deeper than one
// level below the prefix.
func (q *Query) folded(items []map[string]any, keyField string) []map[string]any {
	if !q.topLevel {
		return items
	}
	out := []map[string]any{}
	last := ""
	for _, item := range items {
		folder, _, deeper := strings.Cut(strings.TrimPrefix(text(item[keyField]), q.prefix), "/")
		if !deeper {
			out = append(out, item)
			continue
		}
		if name := q.prefix + folder + "/"; name != last {
			last = name
			out = append(out, map[string]any{
				keyField: name, "is_folder": true, "size": json.Number("0"), "last_modified": item["last_modified"],
			})
		}
	}
	return out
}

// runByToken answers what follows a key; the token is that key, made opaque.
func (q *Query) runByToken(items []map[string]any, keyField string) (Page, error) {
	after, err := base64.RawURLEncoding.DecodeString(q.after)
	if err != nil {
		return Page{}, refusal.Parameter(http.StatusBadRequest, "continuation_token", "It is no token of this list.")
	}
	from := 0
	for from < len(items) && q.after != "" && text(items[from][keyField]) <= string(after) {
		from++
	}
	page := items[from:min(from+q.size, len(items))]
	var token any
	if from+len(page) < len(items) {
		token = base64.RawURLEncoding.EncodeToString([]byte(text(page[len(page)-1][keyField])))
	}
	return Page{Items: q.picked(page), Beside: map[string]any{"continuation_token": token}}, nil
}

func neighbour(self *url.URL, page, pages int) any {
	if page < 1 || page > pages {
		return nil
	}
	at := *self
	values := at.Query()
	values.Set("page", strconv.Itoa(page))
	at.RawQuery = values.Encode()
	return at.String()
}
