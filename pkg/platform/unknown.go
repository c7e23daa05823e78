package platform

import (
	"net/http"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// Unknown is the problem of a write that was sent and whose effect nobody knows.
// It names the tool that tells.
func Unknown(tool *catalog.Tool) *problem.Problem {
	p := problem.New(problem.EstadoInvalido, "%s was sent, but the platform's answer was lost: it may or may not have taken effect.", tool.Name).
		NotRetryable().
		Because(problem.ResultadoDesconocido).
		With("operacion", tool.Name)
	if tool.Command {
		p.Because(problem.AgenteTimeout)
	}
	telling := tells(tool)
	if telling == "" {
		return p.ToDo("Do not simply repeat it. Look at the resource first, and call again only if nothing changed.")
	}
	return p.ToDo("Do not simply repeat it. Call %s first, and call again only if nothing changed.", telling).
		With("herramienta", telling)
}

// IsUnknown reports whether err leaves open if the write took effect.
func IsUnknown(err error) bool {
	return err != nil && problem.As(err).Unknown()
}

func tells(tool *catalog.Tool) string {
	switch {
	case tool.Retrieve != "":
		return tool.Retrieve
	case tool.Find != nil && tool.Find.List != "":
		return tool.Find.List
	case tool.Operation != nil:
		return tool.Operation.Probe
	}
	return ""
}

// effectUnknown decides whether a write that got this answer, no 2xx, may have
// taken effect all the same. A refusal by a 4xx says "no"; so do 501, and 503
// with Retry-After, with which a server turns a request away. Every other 5xx
// leaves it open, also in the platform's own form: a server may fail after it
// wrote. So does a 408, and 499, a proxy's word for a client that left.
func effectUnknown(got *reply, f failure) bool {
	switch {
	case got.status == http.StatusRequestTimeout, got.status == http.StatusBadGateway, got.status == http.StatusGatewayTimeout:
		return true
	case got.status == http.StatusServiceUnavailable && got.header.Get("Retry-After") != "":
		return false
	case got.status == http.StatusNotImplemented:
		return false
	}
	return got.status >= 500 || got.status == 499 && !f.own
}
