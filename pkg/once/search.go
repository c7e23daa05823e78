package once

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// search finds a created resource in its list.
type search struct {
	w      *Writer
	r      platform.Request
	list   *catalog.Tool
	wanted wanted
	by     map[string]any // field -> wanted value; the list tool may not filter exactly, so we compare
	first  string         // the field of by that also filters the list
}

// newSearch is for tools that create something and say how to find it, as long
// as the arguments name it.
func newSearch(w *Writer, r platform.Request) (*search, bool) {
	if r.Tool.Find == nil || r.Tool.Binding == nil {
		return nil, false
	}
	list := w.tool(r.Tool.Find.List)
	if list == nil || list.List == nil {
		return nil, false
	}
	s := &search{w: w, r: r, list: list, wanted: wantedOf(r), by: map[string]any{}}
	for _, match := range r.Tool.Find.By {
		value := s.wanted.fields[match.Arg]
		if value == nil {
			value = r.Args[match.Arg]
		}
		if value != nil {
			s.by[match.Field] = value
		}
	}
	if len(r.Tool.Find.By) > 0 {
		s.first = r.Tool.Find.By[0].Field
	}
	return s, s.by[s.first] != nil
}

func (s *search) tidy(answer *platform.Answer, _ uint32) *platform.Answer { return answer }

// before: a resource of the same name is no reason to stop. Whether it may exist
// twice is the platform's to say; its id is remembered, so that it is not taken
// for the new one.
func (s *search) before(ctx context.Context) ([]string, error) {
	var ids []string
	err := s.each(ctx, func(id string, _ map[string]any) { ids = append(ids, id) })
	return ids, err
}

// after: exactly one new resource that is as it was asked for is ours. One that
// is nearly so may be ours too, as the platform wrote it down; sending again
// could then make a second one.
func (s *search) after(ctx context.Context, step *operationv1.Step) (finding, error) {
	var fresh []map[string]any
	err := s.each(ctx, func(id string, item map[string]any) {
		if !slices.Contains(step.Before, id) {
			fresh = append(fresh, item)
		}
	})
	switch {
	case problem.Is(err, problem.NoEncontrado), err == nil && len(fresh) == 0:
		return finding{outcome: absent}, nil // without its parent it cannot be there either
	case err != nil:
		return finding{}, err
	case len(fresh) == 1 && s.exactly(fresh[0]) && s.wanted.shownBy(fresh[0]):
		return finding{landed, executed(fresh[0])}, nil
	}
	return finding{}, nil
}

// each calls note for everything in the list that is called as wanted, or nearly so.
func (s *search) each(ctx context.Context, note func(id string, item map[string]any)) error {
	r := about(s.list, s.r)
	filter := cmp.Or(s.r.Tool.Find.Filter, s.first)
	for _, param := range s.list.Binding.Params {
		if text, ok := s.by[s.first].(string); ok && param.In == catalog.Query && param.Name == filter {
			r.Args[param.Arg] = text
		}
	}
	return s.w.Platform.Each(ctx, r, func(item map[string]any) (bool, error) {
		if s.nearly(item) {
			note(s.idOf(item), item)
		}
		return true, nil
	})
}

func (s *search) exactly(item map[string]any) bool {
	for field, value := range s.by {
		if !same(value, item[field]) {
			return false
		}
	}
	return true
}

// nearly forgives what platforms change in names: case and blanks around them.
func (s *search) nearly(item map[string]any) bool {
	for field, value := range s.by {
		a, b := fmt.Sprint(value), fmt.Sprint(item[field])
		if !same(value, item[field]) && !strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) {
			return false
		}
	}
	return true
}

// idOf is what tells two listed resources apart.
func (s *search) idOf(item map[string]any) string {
	for _, field := range []string{s.list.RootField, "id", "uuid", s.first} {
		if value := item[field]; field != "" && value != nil {
			return fmt.Sprint(value)
		}
	}
	return ""
}
