package everytool

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// base starts every path of the platform.
const base = "/v4"

// operation is one that traffic is held against.
type operation struct {
	route  routers.Route
	public bool // the public document has it; else our own alone
}

// proxy stands between Comporta and the sandbox, and holds what passes against the
// documents.
type proxy struct {
	operations []operation
	to         string // the sandbox's address

	mu     sync.Mutex
	passed map[string]int      // good exchanges by operationId
	faults map[string][]string // by operationId
	used   map[string]bool     // contradictions that were met, by their reason
}

func newProxy(t *testing.T, operations []operation, to string) (*proxy, string) {
	t.Helper()
	p := &proxy{operations: operations, to: to, passed: map[string]int{}, faults: map[string][]string{}, used: map[string]bool{}}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return p, server.URL + base
}

// find lays a request on the documents: a literal segment comes before a parameter.
func (p *proxy) find(r *http.Request) (*operation, map[string]string) {
	steps := strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), base), "/")
	var best *operation
	var params map[string]string
	for i := range p.operations {
		op := &p.operations[i]
		if op.route.Method != r.Method {
			continue
		}
		if found, ok := laid(strings.Split(op.route.Path, "/"), steps); ok && (best == nil || len(found) < len(params)) {
			best, params = op, found
		}
	}
	return best, params
}

func laid(template, steps []string) (map[string]string, bool) {
	if len(template) != len(steps) {
		return nil, false
	}
	params := map[string]string{}
	for i, step := range template {
		if !strings.HasPrefix(step, "{") {
			if step != steps[i] {
				return nil, false
			}
			continue
		}
		value, err := url.PathUnescape(steps[i])
		if err != nil {
			return nil, false
		}
		params[strings.Trim(step, "{}")] = value
	}
	return params, true
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	answer, answerBody, err := p.forward(r, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if op, params := p.find(r); op != nil {
		p.judge(op, params, r, body, answer, answerBody)
	}
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(answerBody)
}

func (p *proxy) forward(r *http.Request, body []byte) (*http.Response, []byte, error) {
	out, err := http.NewRequestWithContext(r.Context(), r.Method, p.to+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	out.Header = r.Header.Clone()
	answer, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer, text, err
}

// options: patterns that look ahead, which Go cannot, bind nobody.
var options = &openapi3filter.Options{
	IncludeResponseStatus: true,
	MultiError:            true,
	AuthenticationFunc:    openapi3filter.NoopAuthenticationFunc,
	SkipSettingDefaults:   true,
	RegexCompiler:         regexpOrAnything,
}

func (p *proxy) judge(op *operation, params map[string]string, r *http.Request, body []byte, answer *http.Response, answerBody []byte) {
	request := r.Clone(context.WithoutCancel(r.Context()))
	request.Body = io.NopCloser(bytes.NewReader(body))
	input := &openapi3filter.RequestValidationInput{
		Request: request, PathParams: params, QueryParams: r.URL.Query(), Route: &op.route, Options: options,
	}
	var faults []string
	faults = append(faults, told("request", openapi3filter.ValidateRequest(request.Context(), input))...)
	faults = append(faults, told("answer", openapi3filter.ValidateResponse(request.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: documented(answer.StatusCode), Header: answer.Header,
		Body: io.NopCloser(bytes.NewReader(answerBody)), Options: options,
	}))...)
	p.mu.Lock()
	defer p.mu.Unlock()
	id := op.route.Operation.OperationID
	for _, fault := range faults {
		if !p.contradicted(id, fault) && !slices.Contains(p.faults[id], fault) {
			p.faults[id] = append(p.faults[id], fault)
		}
	}
	if answer.StatusCode < 300 {
		p.passed[id]++
	}
}

// told are the faults of an exchange, one sentence each.
func told(what string, err error) []string {
	if err == nil {
		return nil
	}
	if many, ok := err.(openapi3.MultiError); ok {
		var all []string
		for _, one := range many {
			all = append(all, told(what, one)...)
		}
		return all
	}
	if inner, ok := err.(*openapi3filter.RequestError); ok && inner.Err != nil {
		if many, ok := inner.Err.(openapi3.MultiError); ok {
			return told(what+" "+inner.Reason, many)
		}
	}
	if inner, ok := err.(*openapi3filter.ResponseError); ok && inner.Err != nil {
		if many, ok := inner.Err.(openapi3.MultiError); ok {
			return told(what+" "+inner.Reason, many)
		}
	}
	if schema, ok := err.(*openapi3.SchemaError); ok {
		return []string{fmt.Sprintf("%s at /%s: %s", what, strings.Join(schema.JSONPointer(), "/"), schema.Reason)}
	}
	return []string{fmt.Sprintf("%s: %.300s", what, err)}
}

// documented is the status that stands in the documents for this one: a part of
// an object, which HTTP calls 206, is an answer that they know as 200.
func documented(status int) int {
	if status == http.StatusPartialContent {
		return http.StatusOK
	}
	return status
}
