package guard

import (
	"encoding/json"
	"fmt"

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

// inScope judges every root resource that the call names: the one that it is
// about, and those that its arguments connect it with.
func inScope(c *call.Call) *problem.Problem {
	if p := rootInScope(c); p != nil {
		return p
	}
	for kind, value := range c.Tool.Named(c.Args) {
		if !Restricted(c.Principal, kind) {
			continue
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

func outside(kind, id string) *problem.Problem {
	return problem.New(problem.SinPermiso, "The %s %s is outside what this link may touch.", kind, id).
		ToDo("Use one of the resources that ver_contexto_inicial names, or ask the person to add this one to the link.").
		Because(problem.Alcance)
}

// WithinReach reports whether the link's resources leave anything that the tool
// could be used on; where it says no, every call is refused whatever it names.
func WithinReach(p *identity.Principal, t *catalog.Tool) bool {
	if t.Root == "" || !Restricted(p, t.Root) {
		return true
	}
	if t.RootArg == "" {
		return !t.Writes()
	}
	return len(p.Scope.Resources[t.Root].IDs) > 0
}
