package host

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// candidateTime bounds the look for candidates: a hint is worth no more.
const candidateTime = 2 * time.Second

// suggest adds what the caller may have meant to a no_encontrado. That it finds
// nothing, or fails, changes nothing else.
func (g *Gate) suggest(ctx context.Context, c *call.Call, p *problem.Problem) {
	list := g.siblings(c.Tool)
	if list == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, candidateTime)
	defer cancel()
	request := requestFor(c)
	request.Tool, request.Key = list, ""
	request.Args = argsOf(list, c.Args)
	wanted, field := c.Args[lastPathArg(c.Tool)], list.RootField
	if by, filter := g.foundBy(list); by != "" {
		field = by
		if near := plainPrefix(fmt.Sprint(wanted)); filter != "" && near != "" {
			request.Args[filter] = near
		}
	}
	got, err := g.wiring.Platform.List(ctx, request, catalog.MaxLimit, 1)
	if err != nil {
		return
	}
	if candidates := candidatesIn(c, list, got, field); len(candidates) > 0 {
		p.With("candidatos", likeFirst(candidates, wanted))
	}
}

// lastPathArg is the argument that a tool's path ends with.
func lastPathArg(t *catalog.Tool) string {
	name := strings.Trim(t.Binding.Path[strings.LastIndexByte(t.Binding.Path, '/'):], "/{}")
	for _, param := range t.Binding.Params {
		if param.In == catalog.Path && param.Name == name {
			return param.Arg
		}
	}
	return ""
}

// foundBy is the field of a listed element that stands for its id where there is
// none, and the list's parameter that narrows it by that field.
func (g *Gate) foundBy(list *catalog.Tool) (field, filter string) {
	for _, t := range g.tools {
		if t.Find != nil && t.Find.List == list.Name && len(t.Find.By) > 0 {
			return t.Find.By[0].Field, t.Find.Filter
		}
	}
	return "", ""
}

// plainPrefix is the beginning of a text that is the same in both byte forms that a
// letter with an accent may have: what stands before the first such letter.
func plainPrefix(text string) string {
	for i, r := range text {
		if r >= utf8.RuneSelf {
			return text[:max(i-1, 0)] // an accent of its own follows its letter
		}
	}
	return text[:len(text)/2]
}

// likeFirst puts in front what differs from what was asked for by its bytes alone.
func likeFirst(candidates []any, wanted any) []any {
	asked := fmt.Sprint(wanted)
	same := func(candidate any) bool {
		item, _ := candidate.(map[string]any)
		id := fmt.Sprint(item["id"])
		return id != asked && norm.NFC.String(id) == norm.NFC.String(asked)
	}
	return slices.Concat(slices.DeleteFunc(slices.Clone(candidates), func(c any) bool { return !same(c) }),
		slices.DeleteFunc(candidates, same))[:min(len(candidates), maxCandidates)]
}

// siblings is the list tool that shows what the tool's last path parameter could
// have been: the one on the path that ends before it.
func (g *Gate) siblings(t *catalog.Tool) *catalog.Tool {
	if t.Binding == nil {
		return nil
	}
	last := strings.LastIndex(t.Binding.Path, "/{")
	if last < 0 {
		return nil
	}
	return g.listsByPath[t.Binding.Path[:last]]
}

// argsOf are the path arguments that the list shares with the call.
func argsOf(list *catalog.Tool, args map[string]any) map[string]any {
	shared := map[string]any{}
	for _, param := range list.Binding.Params {
		if value, ok := args[param.Arg]; ok && param.In == catalog.Path {
			shared[param.Arg] = value
		}
	}
	return shared
}

// candidatesIn are the listed elements by their id, or by field where they have none.
func candidatesIn(c *call.Call, list *catalog.Tool, got *platform.Answer, field string) []any {
	items, _ := got.Value[list.List.Key].([]any)
	restricted := list.Root != "" && list.RootArg == "" && guard.Restricted(c.Principal, list.Root)
	var candidates []any
	for _, element := range items {
		item, ok := element.(map[string]any)
		id := item["id"]
		if id == nil {
			id = item[field]
		}
		if !ok || id == nil || restricted && !approvedItem(c.Principal, list, item) {
			continue
		}
		candidates = append(candidates, map[string]any{"id": id, "name": cmp.Or(item["name"], id)})
	}
	return candidates
}

// listsByPath finds the list tool of each path.
func listsByPath(tools []Tool) map[string]*catalog.Tool {
	lists := map[string]*catalog.Tool{}
	for _, t := range tools {
		if t.Binding != nil && t.List != nil && t.Binding.Method == "GET" {
			lists[t.Binding.Path] = t.Tool
		}
	}
	return lists
}
