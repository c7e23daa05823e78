package guard

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// Restricted reports whether the link may touch only some resources of a kind.
func Restricted(p *identity.Principal, kind string) bool {
	r, named := p.Scope.Resources[kind]
	return named && !r.All
}

// Narrowed names a kind of which the link may touch only some resources; "" where
// it may touch all of every kind.
func Narrowed(p *identity.Principal) string {
	for _, kind := range slices.Sorted(maps.Keys(p.Scope.Resources)) {
		if Restricted(p, kind) {
			return kind
		}
	}
	return ""
}

// restricted is the kind by which the scope forbids to reach all of a kind, which
// may be catalog.EveryKind; "" where it does not.
func restricted(p *identity.Principal, kind string) string {
	switch {
	case kind == catalog.EveryKind:
		return Narrowed(p)
	case Restricted(p, kind):
		return kind
	}
	return ""
}

// ID is a platform id or name as a scope spells it; "" for what is neither.
func ID(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case int, int64:
		return fmt.Sprint(v)
	}
	return ""
}

// inScope judges every root resource that the call reaches: the one that it is
// about, those that its arguments connect it with, and those that it reaches
// without naming them.
func inScope(c *call.Call) *problem.Problem {
	if p := rootInScope(c); p != nil {
		return p
	}
	for _, kind := range c.Tool.Every {
		if kind := restricted(c.Principal, kind); kind != "" {
			return beyond(c.Tool, kind)
		}
	}
	for named, value := range c.Tool.Named(c.Args) {
		kind := restricted(c.Principal, named)
		if kind == "" {
			continue
		}
		if named == catalog.EveryKind {
			return beyond(c.Tool, kind)
		}
		if every, all := value.(catalog.Every); all {
			return problem.New(problem.SinPermiso, "Without %s the call reaches every %s, and this link may touch only certain ones.", every.Path, kind).
				ToDo("Name in %s only what ver_contexto_inicial names, or ask the person to add more to the link.", every.Path).
				Because(problem.Alcance)
		}
		if id := ID(value); !c.Principal.MayTouch(kind, id) {
			return outside(kind, id)
		}
	}
	return nil
}

// rootInScope judges the root resource that the call is about. Lists of roots pass:
// what they show is filtered later. A new root would be outside a restricted
// scope as soon as it exists, so it may not be made.
func rootInScope(c *call.Call) *problem.Problem {
	t := c.Tool
	if t.Root == "" || !Restricted(c.Principal, t.Root) {
		return nil
	}
	if t.RootArg == "" {
		if t.Writes() {
			return problem.New(problem.SinPermiso, "This link may use only certain resources of the kind %s, so it cannot make new ones.", t.Root).
				ToDo("Ask the person to approve all resources of this kind, or to create it and add it to the link.").
				Because(problem.Alcance)
		}
		return nil
	}
	id := ID(c.Args[t.RootArg])
	if c.Principal.MayTouch(t.Root, id) {
		return nil
	}
	return outside(t.Root, id)
}

// beyond refuses what cannot be held to certain resources.
func beyond(t *catalog.Tool, kind string) *problem.Problem {
	return problem.New(problem.SinPermiso, "%s reaches more than single resources of the kind %s, and this link may touch only certain ones.", t.Name, kind).
		ToDo("Ask the person to do this themselves, or to approve all resources of this kind for the link.").
		Because(problem.Alcance)
}

func outside(kind, id string) *problem.Problem {
	return problem.New(problem.SinPermiso, "The %s %s is outside what this link may touch.", kind, id).
		ToDo("Use one of the resources that ver_contexto_inicial names, or ask the person to add this one to the link.").
		Because(problem.Alcance)
}

// WithinReach reports whether the link's resources leave anything that the tool
// could be used on; where it says no, every call is refused whatever it names.
func WithinReach(p *identity.Principal, t *catalog.Tool) bool {
	for _, kind := range t.Every {
		if restricted(p, kind) != "" {
			return false
		}
	}
	if t.Root == "" || !Restricted(p, t.Root) {
		return true
	}
	if t.RootArg == "" {
		return !t.Writes()
	}
	return len(p.Scope.Resources[t.Root].IDs) > 0
}
