package observe

import (
	"errors"
	"time"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// linkView is a link as both tools of links show it.
func linkView(l identity.LinkInfo) map[string]any {
	companies := make([]any, len(l.Companies))
	for i, c := range l.Companies {
		companies[i] = map[string]any{"id": c.ID, "nombre": c.Name}
	}
	return map[string]any{
		"id":               l.ID,
		"estado":           string(l.State),
		"cliente":          map[string]any{"id": l.Client.ID, "nombre": clientName(l), "verificado": l.Client.Verified},
		"persona":          map[string]any{"id": l.Person.ID, "nombre": l.Person.Name, "email": l.Person.Email},
		"empresas":         companies,
		"alcance":          scopeView(l.Scope),
		"creado_en":        moment(l.CreatedAt),
		"ultimo_uso":       moment(l.LastUseAt),
		"ultima_direccion": l.LastAddress,
		"sesion_hasta":     moment(l.SessionUntil),
	}
}

// clientName: a client of the authorization server named itself.
func clientName(l identity.LinkInfo) any {
	if l.Scope == nil || l.Client.Name == "" {
		return l.Client.Name
	}
	return answer.Untrusted("the client itself", l.Client.Name)
}

// scopeView is null for a personal token, whose link has the token's own rights.
func scopeView(s *identity.Scope) any {
	if s == nil {
		return nil
	}
	resources := map[string]any{}
	for kind, r := range s.Resources {
		resources[kind] = map[string]any{"todos": r.All, "total": len(r.IDs)}
	}
	areas := make([]any, len(s.Areas))
	for i, area := range s.Areas {
		areas[i] = area
	}
	return map[string]any{"areas": areas, "solo_lectura": s.ReadOnly, "preguntar": string(s.Ask), "recursos": resources}
}

// moment is RFC 3339 in UTC; null for no time.
func moment(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

// adminCredential is by what auth judges the administrator afresh. It is theirs in
// any of their companies.
func adminCredential(c *call.Call) identity.Secret { return c.Principal.Companies[0].Authorization }

// linkProblem is what a question about links failed with.
func linkProblem(err error) error {
	if _, refused := errors.AsType[*identity.Refused](err); refused {
		return problem.New(problem.SinPermiso, "The platform does not accept this person's credential any more.").
			ToDo("Ask the person to approve this client again, or to give a valid personal token.").
			Because(problem.CredencialInvalida).Wrap(err)
	}
	switch {
	case errors.Is(err, identity.ErrNotAdmin):
		return problem.New(problem.SinPermiso, "The person is no system administrator any more.").
			ToDo("Ask an administrator, or use another tool.").Because(problem.Admin).Wrap(err)
	case errors.Is(err, identity.ErrNoLink):
		return problem.New(problem.NoEncontrado, "There is no such link.").
			ToDo("Take the id from listar_enlaces.").Wrap(err)
	}
	return problem.New(problem.EstadoInvalido, "The links cannot be asked about right now.").
		ToDo("Wait reintentar_en_segundos and call again.").After(2 * time.Second).Wrap(err)
}
