package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

const (
	// defaultPageSize is the largest page of the platform where its document does not say.
	defaultPageSize = 100
	// maxListPages bounds the requests that one List makes: 200 elements in pages of 10, and one over a border.
	maxListPages = 21
)

// pagingParam reports whether a query parameter is the list's page or page size.
func pagingParam(list *catalog.List, name string) bool {
	return list != nil && name != "" && (name == list.PageArg || name == list.SizeArg)
}

// window is the part of a list that a caller asked for, from element from up to before element to.
type window struct{ from, to int }

// List answers page number page (from 1) of a list cut into pages of limit
// elements, whatever the platform's largest page is. "page", "page_size" and
// "total_pages", where the platform gives them, are those of the caller; the
// links to other pages are left out.
func (c *Client) List(ctx context.Context, r Request, limit, number int) (*Answer, error) {
	limit, number = max(limit, 1), max(number, 1)
	if r.Tool.List == nil || r.Tool.List.PageArg == "" {
		return c.firstOf(ctx, r, limit)
	}
	w := window{(number - 1) * limit, number * limit}
	size := pageSize(r.Tool.List)
	if r.Tool.List.SizeArg != "" {
		size = min(size, limit)
	}
	answer, err := c.covering(ctx, r, w, size)
	if other, ok := errors.AsType[otherSize](err); ok {
		answer, err = c.covering(ctx, r, w, int(other))
	}
	if errors.As(err, new(otherSize)) {
		return nil, broken("The list of %s cannot be cut into pages.", r.Tool.Name).Wrap(err)
	}
	if err != nil {
		return nil, err
	}
	relabel(answer.Value, r.Tool.List, limit, number)
	return answer, nil
}

// firstOf answers a list that has no pages.
func (c *Client) firstOf(ctx context.Context, r Request, limit int) (*Answer, error) {
	list := r.Tool.List
	if list == nil || list.SizeArg == "" {
		return c.Do(ctx, r)
	}
	return c.page(ctx, r, page{1, min(limit, pageSize(list))})
}

// otherSize says that the platform cut its pages to this size, whatever it was asked for.
type otherSize int

func (s otherSize) Error() string {
	return fmt.Sprintf("the platform's pages are of %d elements", int(s))
}

// covering fetches the platform's pages of this size that hold w and joins them.
func (c *Client) covering(ctx context.Context, r Request, w window, size int) (*Answer, error) {
	var answer *Answer
	list, items := r.Tool.List, []any{}
	first, last := w.from/size+1, (w.to-1)/size+1
	if last-first >= maxListPages {
		return nil, wrong(catalog.ArgLimit, "must be at most %d for this list", size*(maxListPages-1))
	}
	for number := first; number <= last; number++ {
		got, err := c.page(ctx, r, page{number, size})
		if problem.Is(err, problem.NoEncontrado) && number > 1 { // past the end
			if answer != nil {
				break
			}
			return c.empty(ctx, r, size)
		}
		if err != nil {
			return nil, err
		}
		found, _ := got.Value[list.Key].([]any)
		if told := intOf(got.Value["page_size"]); told > 0 && told != size && answer == nil {
			return nil, otherSize(told)
		}
		answer, items = got, append(items, found...)
		if len(found) < size {
			break
		}
	}
	value := maps.Clone(answer.Value)
	skip := min(w.from-(first-1)*size, len(items))
	value[list.Key] = items[skip:min(skip+w.to-w.from, len(items))]
	return &Answer{Status: answer.Status, Value: value}, nil
}

// empty answers a page past the end: nothing, beside the true total. It also
// tells a list that ended from one that does not exist.
func (c *Client) empty(ctx context.Context, r Request, size int) (*Answer, error) {
	got, err := c.page(ctx, r, page{1, size})
	if err != nil {
		return nil, err
	}
	value := maps.Clone(got.Value)
	value[r.Tool.List.Key] = []any{}
	return &Answer{Status: http.StatusOK, Value: value}, nil
}

// page fetches one page of the platform.
func (c *Client) page(ctx context.Context, r Request, p page) (*Answer, error) {
	r, err := c.signed(r)
	if err != nil {
		return nil, err
	}
	out, err := c.build(r, &p)
	if err != nil {
		return nil, err
	}
	answer, refused := c.read(ctx, r, out)
	if refused != nil {
		return nil, refused
	}
	return answer, nil
}

// relabel makes the numbers beside a list those of the caller's pages.
func relabel(value map[string]any, list *catalog.List, limit, number int) {
	replace := func(key string, n int) {
		if _, present := value[key]; present {
			value[key] = json.Number(strconv.Itoa(n))
		}
	}
	replace("page", number)
	replace("page_size", limit)
	if total, known := totalOf(value, list); known {
		replace("total_pages", max(1, (total+limit-1)/limit))
	}
	delete(value, "next")
	delete(value, "previous")
}

func pageSize(list *catalog.List) int {
	if list.MaxSize > 0 {
		return list.MaxSize
	}
	return defaultPageSize
}

func totalOf(value map[string]any, list *catalog.List) (total int, known bool) {
	number, ok := value[list.TotalKey].(json.Number)
	if !ok {
		return 0, false
	}
	n, err := number.Int64()
	return int(n), err == nil && n >= 0
}

func intOf(value any) int {
	number, _ := value.(json.Number)
	n, _ := number.Int64()
	return int(n)
}
