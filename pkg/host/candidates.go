package host

import (
	"context"
	"strings"
	"time"

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
	got, err := g.wiring.Platform.List(ctx, request, catalog.MaxLimit, 1)
	if err != nil {
		return
	}
	if candidates := candidatesIn(c, list, got); len(candidates) > 0 {
		p.With("candidatos", candidates)
	}
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

func candidatesIn(c *call.Call, list *catalog.Tool, got *platform.Answer) []any {
	items, _ := got.Value[list.List.Key].([]any)
	restricted := list.Root != "" && list.RootArg == "" && guard.Restricted(c.Principal, list.Root)
	var candidates []any
	for _, element := range items {
		item, ok := element.(map[string]any)
		if !ok || item["id"] == nil || restricted && !approvedItem(c.Principal, list, item) {
			continue
		}
		candidates = append(candidates, map[string]any{"id": item["id"], "name": item["name"]})
		if len(candidates) == maxCandidates {
			break
		}
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
