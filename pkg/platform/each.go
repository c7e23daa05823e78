package platform

import (
	"context"
	"fmt"

	"github.com/comporta-mcp/comporta/pkg/problem"
)

// maxEachPages bounds a walk: 10 000 elements in pages of 100.
const maxEachPages = 100

// Each calls yield for every element of the list that r asks for, over all its
// pages, until yield says that it needs no more. An element that moves between
// pages while the list shrinks is still seen, and none is yielded twice. A list
// too long to be walked is an error, never a silent end.
func (c *Client) Each(ctx context.Context, r Request, yield func(item map[string]any) (more bool, err error)) error {
	if r.Tool.List == nil {
		return broken("%s is no list.", r.Tool.Name)
	}
	w := walk{client: c, request: r, seen: map[string]bool{}, number: 1}
	for range maxEachPages {
		items, err := w.next(ctx)
		if err != nil {
			return err
		}
		for _, item := range items {
			more, err := yield(item)
			if err != nil || !more {
				return err
			}
		}
		if w.done {
			return nil
		}
	}
	return problem.New(problem.EstadoInvalido, "The list of %s is too long to be searched to its end.", r.Tool.Name).
		ToDo("Narrow it with a filter.").NotRetryable()
}

// walk is one way through a list.
type walk struct {
	client  *Client
	request Request
	seen    map[string]bool
	number  int // of the page to ask for next
	step    int // elements of a full page, as the platform serves it
	total   int // as last told; 0 before
	beyond  int // the page that was past the end; 0: none was yet
	done    bool
}

// next gives the elements of the next page that were not given before.
func (w *walk) next(ctx context.Context) ([]map[string]any, error) {
	list := w.request.Tool.List
	answer, err := w.client.page(ctx, w.request, page{w.number, pageSize(list)})
	if problem.Is(err, problem.NoEncontrado) && w.number > 1 {
		w.beyond = w.number
		w.number-- // the list ends before: what stood on this page may have moved to the one before
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found, _ := answer.Value[list.Key].([]any)
	if list.PageArg == "" && list.TokenArg != "" {
		return w.unseen(found), w.follow(answer.Value)
	}
	w.advance(answer.Value, len(found))
	return w.unseen(found), nil
}

// follow takes the token that leads on, if there is one. One that leads back to
// the same page would be followed for ever.
func (w *walk) follow(value map[string]any) error {
	name := w.request.Tool.List.TokenArg
	token, _ := value[name].(string)
	if w.done = token == ""; w.done {
		return nil
	}
	if token == w.request.Args[name] {
		return broken("The list of %s cannot be searched to its end.", w.request.Tool.Name)
	}
	args := map[string]any{name: token}
	for arg, value := range w.request.Args {
		if arg != name {
			args[arg] = value
		}
	}
	w.request.Args = args
	return nil
}

// advance chooses the next page. When the total fell, something before this page
// may be gone, and what stood at its front stands on the page before: the walk
// goes back as far as that can reach.
func (w *walk) advance(value map[string]any, found int) {
	list := w.request.Tool.List
	total, known := totalOf(value, list)
	if w.step == 0 {
		w.step = served(value, found, pageSize(list), total)
	}
	fell := w.total - total
	w.total = total
	switch {
	case list.PageArg == "":
		w.done = true
	case known && fell > 0 && w.number > 1:
		w.number = max(1, w.number-(fell+w.step-1)/w.step)
	case found == 0, known && w.number*w.step >= total, !known && (found < w.step || w.number+1 == w.beyond):
		w.done = true
	default:
		w.number++
	}
}

// served is how many elements the platform puts on a page: as many as it was
// asked for, unless its answer shows that it gives less.
func served(value map[string]any, found, asked, total int) int {
	if told := intOf(value["page_size"]); told > 0 {
		return min(told, asked)
	}
	if found > 0 && found < min(asked, total) {
		return found
	}
	return asked
}

// unseen drops what an earlier page held. An element without an id is known by all of its fields.
func (w *walk) unseen(found []any) []map[string]any {
	var fresh []map[string]any
	for _, element := range found {
		item, ok := element.(map[string]any)
		if !ok {
			item = map[string]any{"value": element}
		}
		if key := identityOf(item); !w.seen[key] {
			w.seen[key] = true
			fresh = append(fresh, item)
		}
	}
	return fresh
}

func identityOf(item map[string]any) string {
	key := item["id"]
	if key == nil {
		key = item
	}
	text, err := encode(key)
	if err != nil {
		return fmt.Sprint(key)
	}
	return string(text)
}
