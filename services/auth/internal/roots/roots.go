// Package roots lists the resources that a person may open to an agent: the root
// resources of each kind, read live from the platform with the person's own
// credential. What the kinds are, and how each is listed, the areas' documents say.
package roots

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/platform"
)

// Platform reads lists; *platform.Client does.
type Platform interface {
	Each(ctx context.Context, r platform.Request, yield func(item map[string]any) (more bool, err error)) error
}

// Kind is one kind of root resource.
type Kind struct {
	Name string // "application"
	Area string // whose documents list it
	list *catalog.Tool
}

// Never is a tool that no agent may use, with the reason.
type Never struct{ Area, Name, Title, Why string }

// Roots is every kind there is. It is read-only once made.
type Roots struct {
	kinds    []Kind
	never    []Never
	platform Platform
}

// Load reads the kinds from each area's documents.
func Load(documents map[string]fs.FS, areas []string, p Platform) (*Roots, error) {
	r := &Roots{platform: p}
	for _, area := range areas {
		docs, ok := documents[area]
		if !ok {
			continue
		}
		loaded, err := catalog.Load(docs, catalog.Options{Area: area})
		if err != nil {
			return nil, fmt.Errorf("read the documents of %s: %w", area, err)
		}
		for _, t := range loaded.Tools() {
			listed := slices.ContainsFunc(r.kinds, func(k Kind) bool { return k.Name == t.Root })
			if t.Root != "" && t.RootArg == "" && t.List != nil && !t.Writes() && !listed {
				r.kinds = append(r.kinds, Kind{Name: t.Root, Area: area, list: t})
			}
		}
		for _, t := range loaded.Never() {
			r.never = append(r.never, Never{Area: area, Name: t.Name, Title: t.Title, Why: t.Never})
		}
	}
	slices.SortStableFunc(r.kinds, func(a, b Kind) int {
		return slices.Index(areas, a.Area) - slices.Index(areas, b.Area)
	})
	return r, nil
}

// Kinds are all kinds, by area.
func (r *Roots) Kinds() []Kind { return r.kinds }

// Never are the tools that no agent may use.
func (r *Roots) Never() []Never { return r.never }

// Root is one resource.
type Root struct {
	ID   string // as a scope spells it
	Name string // as the person knows it
}

// Found is what a search brought.
type Found struct {
	Roots []Root
	Total int  // matches seen
	More  bool // there are more than were looked at
}

const (
	maxShown  = 100
	maxLooked = 2000
	lookTime  = 8 * time.Second
)

// Companies are the credentials to look with, by company.
type Companies map[int64]identity.Secret

// Find lists resources of a kind in all companies whose name or id holds text.
func (r *Roots) Find(ctx context.Context, kind, text string, in Companies) (Found, error) {
	i := slices.IndexFunc(r.kinds, func(k Kind) bool { return k.Name == kind })
	if i < 0 {
		return Found{}, fmt.Errorf("there is no kind %q", kind)
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	var found Found
	looked := 0
	for _, company := range slices.Sorted(maps.Keys(in)) {
		request := platform.Request{
			Tool: r.kinds[i].list, Args: map[string]any{},
			Authorization: "Token " + in[company], CompanyID: company,
		}
		err := r.platform.Each(ctx, request, func(item map[string]any) (bool, error) {
			looked++
			found.take(rootOf(r.kinds[i].list, item), text)
			found.More = looked >= maxLooked
			return !found.More, nil
		})
		if err != nil {
			return Found{}, fmt.Errorf("list the kind %s: %w", kind, err)
		}
	}
	return found, nil
}

func (f *Found) take(root Root, text string) {
	text = strings.ToLower(strings.TrimSpace(text))
	if root.ID == "" || !strings.Contains(strings.ToLower(root.Name+" "+root.ID), text) {
		return
	}
	f.Total++
	if len(f.Roots) < maxShown {
		f.Roots = append(f.Roots, root)
	}
}

// nameFields are where resources carry a name, the first that is there.
var nameFields = []string{"name", "domain", "title", "host"}

func rootOf(t *catalog.Tool, item map[string]any) Root {
	field := t.RootField
	if field == "" {
		field = "id"
	}
	root := Root{ID: guard.ID(item[field])}
	for _, field := range nameFields {
		if name, ok := item[field].(string); ok && name != "" {
			root.Name = name
			break
		}
	}
	if root.Name == "" {
		root.Name = root.ID
	}
	return root
}
