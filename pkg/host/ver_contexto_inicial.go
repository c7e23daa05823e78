package host

import (
	"context"
	"slices"
	"time"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/pkg/quota"
)

// kinds are the root resources a person can restrict a link to (contract §4).
var kinds = []string{
	"application", "workload", "function", "connector", "firewall", "waf", "network_list",
	"zone", "certificate", "stream", "bucket", "database", "namespace",
}

// maxIDs bounds the lists of ids (contract §5).
const maxIDs = 50

func (g *Gate) contextTool() (Tool, error) {
	return g.handTool(catalog.Tool{
		Name:        toolContext,
		Title:       "Initial context",
		Description: "Call first: for whom you act, what you may touch, what no agent may do, limits, what to call next.",
		Effect:      catalog.Read,
		Idempotent:  true,
	}, noInput{}, nil, func(_ context.Context, c *call.Call) (*call.Answer, error) {
		return &call.Answer{Value: g.initialContext(c.Principal)}, nil
	})
}

// initialContext is also what the resource of this name says.
func (g *Gate) initialContext(p *identity.Principal) map[string]any {
	return map[string]any{
		"persona": map[string]any{
			"id": p.Person.ID, "nombre": p.Person.Name, "email": p.Person.Email, "admin": p.Person.SystemAdmin,
		},
		"cliente":   map[string]any{"id": p.Client.ID, "nombre": clientName(p), "verificado": p.Client.Verified},
		"enlace":    map[string]any{"id": p.Link.ID, "estado": "activo", "sesion_hasta": moment(p.Link.SessionUntil)},
		"alcance":   scopeOf(p),
		"nunca":     g.neverList(),
		"siguiente": next(),
		"limites":   g.limitsShown(),
	}
}

// next is what an agent does best after this.
func next() []any {
	return []any{
		problem.Sentence{Format: "listar_empresas shows the companies you may act in."}.String(),
		problem.Sentence{Format: "A list tool shows what exists; take ids from there and never guess one."}.String(),
		problem.Sentence{Format: "Before a write, call it with dry_run: true to see what would be sent."}.String(),
		problem.Sentence{Format: "Work that takes long answers operacion_id; follow it with ver_operacion."}.String(),
	}
}

// limitsShown are the limits that hold on this host: those of every call, and
// those that its tools name.
func (g *Gate) limitsShown() map[string]any {
	shown := map[string]any{
		"elementos_por_lista":      answer.MaxElements,
		"caracteres_por_respuesta": answer.MaxChars,
	}
	named := []string{quota.Calls, quota.Requests}
	for _, t := range g.tools {
		named = append(named, t.Limits...)
	}
	for _, name := range named {
		limit := g.limits[name]
		shown[name] = map[string]any{
			"cantidad": limit.Count, "segundos": quota.Seconds(limit.Window), "por": string(limit.Per),
		}
	}
	return shown
}

// clientName: a client of our authorization server named itself, or is named by
// a document of its own, so that its name is somebody else's text.
func clientName(p *identity.Principal) any {
	if p.Link.Scheme == identity.Token || p.Client.Name == "" {
		return p.Client.Name
	}
	return answer.Untrusted("the client itself", p.Client.Name)
}

func scopeOf(p *identity.Principal) map[string]any {
	companies := make([]any, 0, min(len(p.Companies), maxIDs))
	for _, c := range p.Companies[:min(len(p.Companies), maxIDs)] {
		companies = append(companies, c.ID)
	}
	resources := make(map[string]any, len(kinds))
	for _, kind := range kinds {
		resources[kind] = resourcesOf(p, kind)
	}
	for kind := range p.Scope.Resources { // an area may know kinds of its own
		if !slices.Contains(kinds, kind) {
			resources[kind] = resourcesOf(p, kind)
		}
	}
	return map[string]any{
		"areas":        toAny(p.Scope.Areas),
		"solo_lectura": p.ReadOnly(),
		"preguntar":    string(p.Scope.Ask),
		"empresas":     map[string]any{"ids": companies, "total": len(p.Companies)},
		"recursos":     resources,
	}
}

func resourcesOf(p *identity.Principal, kind string) map[string]any {
	r, restricted := p.Scope.Resources[kind]
	if !restricted || r.All {
		return map[string]any{"todos": true, "ids": []any{}, "total": 0}
	}
	return map[string]any{"todos": false, "ids": toAny(r.IDs[:min(len(r.IDs), maxIDs)]), "total": len(r.IDs)}
}

func (g *Gate) neverList() []any {
	list := make([]any, 0, len(g.never))
	for _, t := range g.never {
		list = append(list, map[string]any{"herramienta": t.Name, "motivo": t.Never})
	}
	return list
}

func toAny(texts []string) []any {
	out := make([]any, len(texts))
	for i, text := range texts {
		out[i] = text
	}
	return out
}

// moment is RFC 3339 in UTC; null for no time.
func moment(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}
