package platform

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// refusal makes the problem of an answer that is no 2xx and whose meaning is
// known: what was asked did not happen.
func (c *Client) refusal(r Request, got *reply) *problem.Problem {
	f := failureOf(r, got)
	p := byStatus(r, got.status, f).From(got.status).With("operacion", r.Tool.Name).With("status", got.status)
	if codes := f.codes(); len(codes) > 0 {
		p.With("codigos", codes)
	}
	if id := requestID(got.header); id != "" {
		p.With("solicitud", id)
	}
	if p.Code == problem.LimiteExcedido || p.Code == problem.EstadoInvalido {
		p.After(orDefault(c.retryAfter(got.header)))
	}
	return p
}

func byStatus(r Request, status int, f failure) *problem.Problem {
	name := r.Tool.Name
	switch status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge,
		http.StatusRequestURITooLong, http.StatusUnsupportedMediaType:
		return invalid(name, f)
	case http.StatusUnauthorized:
		return credentialRefused()
	case http.StatusPaymentRequired, http.StatusForbidden, http.StatusUnavailableForLegalReasons:
		return problem.New(problem.SinPermiso, "The platform does not let this person use %s%s.", name, f.says()).
			ToDo("Ask the person, or an administrator of the company, for this right on the platform.").
			Because(problem.Plataforma)
	case http.StatusNotFound, http.StatusGone:
		return notFound(r)
	case http.StatusConflict, http.StatusPreconditionFailed:
		return problem.New(problem.Conflicto, "The platform refused %s because it clashes with what is there%s.", name, f.says()).
			ToDo("Look at what exists, change what clashes (often the name), and call again.")
	case http.StatusLocked, http.StatusTooEarly:
		return problem.New(problem.EstadoInvalido, "The resource of %s is being changed by somebody else%s.", name, f.says()).
			ToDo("Wait and call again.")
	case http.StatusTooManyRequests:
		return problem.New(problem.LimiteExcedido, "The platform takes no more requests of this company just now.").
			ToDo("Wait reintentar_en_segundos and call again.").
			With("limite", "plataforma")
	}
	if status == http.StatusRequestTimeout || status >= 500 && status != http.StatusNotImplemented && status != http.StatusHTTPVersionNotSupported {
		return unavailable(name, f)
	}
	return problem.New(problem.Interno, "The platform does not take %s in the form that we send it.", name).
		ToDo("Report the correlacion_id to the operator; other arguments will hardly help.")
}

func invalid(name string, f failure) *problem.Problem {
	p := problem.New(problem.ParametroInvalido, "The platform refused the arguments of %s%s.", name, f.says())
	if len(f.fields) > 0 {
		return p.ToDo("Correct the arguments named in detalle.fields and call again.").With("fields", f.fields)
	}
	return p.ToDo("Check the arguments against the description of the tool and call again.").With("fields", map[string]string{})
}

func credentialRefused() *problem.Problem {
	return problem.New(problem.SinPermiso, "The platform does not accept this person's credential any more.").
		ToDo("Ask the person to approve this client again, or to give a valid personal token.").
		Because(problem.CredencialInvalida)
}

// notFound names the ids of the path, since any of them may be the one that is gone.
func notFound(r Request) *problem.Problem {
	ids := pathIDs(r)
	if len(ids) == 0 {
		return problem.New(problem.NoEncontrado, "The platform knows nothing that %s could be about.", r.Tool.Name).
			ToDo("Check the arguments with the list tool of this kind.")
	}
	var named []string
	for _, arg := range slices.Sorted(maps.Keys(ids)) {
		named = append(named, fmt.Sprintf("%s %s", arg, ids[arg]))
	}
	return problem.New(problem.NoEncontrado, "The platform has nothing at %s.", strings.Join(named, ", ")).
		ToDo("Take the id from the list tool of this kind; it may have been deleted.").
		With("ids", ids)
}

func pathIDs(r Request) map[string]string {
	ids := map[string]string{}
	for _, param := range r.Tool.Binding.Params {
		if param.In != catalog.Path {
			continue
		}
		if text, present, err := simple(param, r.Args[param.Arg]); err == nil && present {
			ids[param.Arg] = text
		}
	}
	return ids
}

func unavailable(name string, f failure) *problem.Problem {
	p := problem.New(problem.EstadoInvalido, "The platform failed while it handled %s%s.", name, f.says())
	return p.ToDo("Wait reintentar_en_segundos and call again; if it keeps failing, tell the person that the platform has trouble.")
}
