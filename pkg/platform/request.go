package platform

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// outgoing is a request ready to be sent, any number of times.
type outgoing struct {
	method string
	url    *url.URL
	// header's names are lower case where net/http must not read them: it would
	// send a POST with an Idempotency-Key again on its own.
	header http.Header
	body   []byte // nil: none
	shown  any    // the body for Preview
	part   *span  // the bytes of a content that are wanted; nil: no content
}

// whole is the same request without a range.
func (o *outgoing) whole() *outgoing {
	all := *o
	all.header = o.header.Clone()
	all.header.Del("Range")
	all.part = nil
	return &all
}

// page is what List and Each ask for, in the platform's own query parameters.
type page struct{ number, size int }

// build makes the platform request of r. p replaces the tool's paging arguments; nil leaves them.
func (c *Client) build(r Request, p *page) (*outgoing, error) {
	binding := r.Tool.Binding
	if binding == nil {
		return nil, broken("%s is no tool of the platform.", r.Tool.Name)
	}
	base, err := parseBase(c.baseOf(binding))
	if err != nil {
		return nil, broken("The address of the platform is not set up.").Wrap(err)
	}
	target, err := address(base, binding, r.Args)
	if err != nil {
		return nil, err
	}
	if target.RawQuery, err = queryOf(r, p); err != nil {
		return nil, err
	}
	body, err := payloadOf(binding.Body, r.Args)
	if err != nil {
		return nil, err
	}
	header, err := c.headerOf(r, body)
	if err != nil {
		return nil, err
	}
	wanted, err := spanOf(r.Tool, r.Args)
	if err != nil {
		return nil, err
	}
	if wanted != nil {
		header.Set("Range", wanted.around(r.Authorization).header())
	}
	return &outgoing{method: binding.Method, url: target, header: header, body: body.bytes, shown: body.shown, part: wanted}, nil
}

func (c *Client) baseOf(binding *catalog.Binding) string {
	if binding.Base != "" {
		return binding.Base
	}
	return c.cfg.URL
}

func queryOf(r Request, p *page) (string, error) {
	var q query
	for _, param := range r.Tool.Binding.Params {
		if param.In != catalog.Query || (p != nil && pagingParam(r.Tool.List, param.Name)) {
			continue
		}
		if err := q.add(param, r.Args[param.Arg]); err != nil {
			return "", err
		}
	}
	if p != nil {
		q.page(r.Tool.List, *p)
	}
	if auth := authOf(r); auth.In == catalog.Query {
		q.pair(auth.Name, string(r.Authorization))
	}
	return q.String(), nil
}

func authOf(r Request) catalog.Auth {
	auth := r.Tool.Binding.Auth
	if auth.Name == "" {
		return catalog.Auth{In: catalog.Header, Name: "Authorization"}
	}
	return auth
}

func (c *Client) headerOf(r Request, body payload) (http.Header, error) {
	h := http.Header{}
	for _, param := range r.Tool.Binding.Params {
		if param.In != catalog.Header || ownHeader(param.Name) {
			continue
		}
		text, present, err := simple(param, r.Args[param.Arg])
		if err != nil {
			return nil, err
		}
		if !present {
			continue
		}
		if !httpguts.ValidHeaderFieldValue(text) {
			return nil, wrong(param.Arg, "holds a character that no header may hold, such as a line break")
		}
		h.Set(param.Name, text)
	}
	h.Set("User-Agent", c.cfg.UserAgent)
	h.Set("Accept", acceptOf(r.Tool.Binding))
	if body.bytes != nil && body.mediaType != "" {
		h.Set("Content-Type", body.mediaType)
	}
	if auth := authOf(r); auth.In == catalog.Header && r.Authorization != "" {
		if !httpguts.ValidHeaderFieldValue(string(r.Authorization)) {
			return nil, credentialRefused()
		}
		h.Set(auth.Name, string(r.Authorization))
	}
	if c.cfg.IdempotencyHeader != "" && r.Key != "" && r.Tool.Writes() {
		h[strings.ToLower(c.cfg.IdempotencyHeader)] = []string{percent(r.Key)}
	}
	return h, nil
}

// acceptOf also takes JSON where the good answer is something else: refusals are JSON.
func acceptOf(binding *catalog.Binding) string {
	if isJSON(binding.Accepts) {
		return "application/json"
	}
	return binding.Accepts + ", application/json;q=0.5"
}

// ownHeader reports whether a header is not an argument's to set (OpenAPI says
// so of the first three).
func ownHeader(name string) bool {
	return slices.ContainsFunc(
		[]string{"Accept", "Content-Type", "Authorization", "Host", "Content-Length", "Transfer-Encoding", "Connection", "User-Agent"},
		func(own string) bool { return strings.EqualFold(own, name) })
}

func validHeaderName(name string) bool { return httpguts.ValidHeaderFieldName(name) }

// wrong refuses one argument.
func wrong(arg, format string, args ...any) *problem.Problem {
	what := problem.Sentence{Format: format, Args: args}
	return problem.New(problem.ParametroInvalido, "The argument %s %s.", arg, what).
		ToDo("Correct this argument and call again.").
		Field(arg, what)
}

// broken is a fault of ours or of the catalogue, which no argument repairs.
func broken(format string, args ...any) *problem.Problem {
	return problem.New(problem.Interno, format, args...).
		ToDo("Report the correlacion_id to the operator.").
		NotRetryable()
}
