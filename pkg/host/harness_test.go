package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/comporta-mcp/comporta/pkg/guard"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/once"
	"github.com/comporta-mcp/comporta/pkg/platform"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

const publicURL = "https://harbour-mcp.example.com"

// harbour is the area of the tests: testdata/harbour and no tools of its own.
func harbour() host.Area {
	return host.Area{
		Name: "harbour", Title: "Harbour", Summary: "Ships and tugs.", Version: "1.2.3",
		Instructions: "Call ver_contexto_inicial first.",
		Documents:    os.DirFS("testdata/harbour"),
		Profiles: []host.Profile{
			{Name: "ships", Title: "Ships", Summary: "The register.", Instructions: "list_ships before delete_ship."},
			{Name: "tugs", Title: "Tugs", Summary: "Tugs.", Instructions: "order_tug."},
		},
		Examples: []host.Example{{Ask: "Which ships are here?", Tool: "list_ships"}},
	}
}

// door is a host under test, with a platform that a test writes and callers
// whose tokens are their names.
type door struct {
	t        testing.TB
	url      string
	gate     *host.Gate
	platform *upstream
	auth     *people
	ops      *operations
	seals    *seals
	wiring   host.Wiring

	mu       sync.Mutex
	refusals []host.Refusal
	others   int // other requests so far
	patience int // other requests until the limit; 0: no limit
}

// option changes a door before it is built.
type option func(*host.Area, *host.Config, *host.Wiring)

func open(t *testing.T, options ...option) *door {
	t.Helper()
	return openFor(t, options...)
}

func openFor(t testing.TB, options ...option) *door {
	t.Helper()
	d := &door{t: t, platform: newUpstream(t), auth: newPeople(), ops: &operations{}, seals: &seals{}}
	client := platform.New(platform.Config{URL: d.platform.url, Timeout: 5 * time.Second}, platform.Options{})
	cfg := host.Defaults()
	cfg.Listen, cfg.PublicURL, cfg.AuthURL = "127.0.0.1:0", publicURL, "https://auth.example.com"
	cfg.AllowedHosts = []string{"127.0.0.1"}
	area := harbour()
	d.wiring = host.Wiring{
		Auth: d.auth, Platform: client, Writer: &once.Writer{Platform: client}, Operations: d.ops, Sealer: d.seals, Approvals: d.seals,
		Stages: func(names guard.Namer) host.Stages {
			return host.Stages{Guard: guard.Stage(guard.Options{Names: names})}
		},
		Refused: func(_ context.Context, r host.Refusal) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.refusals = append(d.refusals, r)
		},
		Others: func(context.Context, string) time.Duration {
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.others++; d.patience > 0 && d.others > d.patience {
				return 700 * time.Millisecond
			}
			return 0
		},
		Metrics: prometheus.NewRegistry(),
		Tracer:  noop.NewTracerProvider().Tracer("test"),
		Log:     slog.New(slog.DiscardHandler),
		Now:     time.Now,
	}
	for _, o := range options {
		o(&area, &cfg, &d.wiring)
	}
	gate, err := host.New(area, cfg, d.wiring)
	if err != nil {
		t.Fatal(err)
	}
	d.gate = gate
	server := httptest.NewServer(gate)
	t.Cleanup(server.Close)
	d.url = server.URL
	return d
}

func (d *door) refused() []host.Refusal {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]host.Refusal{}, d.refusals...)
}

// reply is an HTTP answer, read to its end.
type reply struct {
	status int
	header http.Header
	body   string
}

func (r reply) json(t testing.TB) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(r.body))
	decoder.UseNumber()
	var value map[string]any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("status %d, not JSON: %s", r.status, r.body)
	}
	return value
}

// send makes one request. Headers are "Name: value"; a missing Content-Type is JSON.
func (d *door) send(method, path, body string, headers ...string) reply {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), method, d.url+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if strings.EqualFold(name, "Host") {
			req.Host = value
			continue
		}
		req.Header.Add(name, value)
	}
	return d.do(req)
}

func (d *door) do(req *http.Request) reply {
	d.t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, string(text)}
}

const (
	asMember = "Authorization: Token member"
	asReader = "Authorization: Token reader"
	asAdmin  = "Authorization: Token admin"
	asBoth   = "Authorization: Token both"
	asAgent  = "Authorization: Bearer agent"
	asNarrow = "Authorization: Bearer narrow"
)

// call calls a tool and gives the JSON-RPC answer.
func (d *door) call(tool, arguments string, headers ...string) map[string]any {
	d.t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
	return d.send(http.MethodPost, "/mcp", body, headers...).json(d.t)
}

// ok calls a tool and gives its structured answer.
func (d *door) ok(tool, arguments string, headers ...string) map[string]any {
	d.t.Helper()
	answer := d.call(tool, arguments, headers...)
	result, _ := answer["result"].(map[string]any)
	if result == nil || result["isError"] == true {
		d.t.Fatalf("%s failed: %v", tool, answer)
	}
	text := result["content"].([]any)[0].(map[string]any)["text"].(string)
	structured := result["structuredContent"].(map[string]any)
	var same any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&same); err != nil {
		d.t.Fatalf("content is no JSON: %s", text)
	}
	return structured
}

// fails calls a tool and gives its error.
func (d *door) fails(code problem.Code, tool, arguments string, headers ...string) map[string]any {
	d.t.Helper()
	answer := d.call(tool, arguments, headers...)
	result, _ := answer["result"].(map[string]any)
	if result == nil || result["isError"] != true {
		d.t.Fatalf("%s did not fail: %v", tool, answer)
	}
	var failure map[string]any
	decoder := json.NewDecoder(strings.NewReader(result["content"].([]any)[0].(map[string]any)["text"].(string)))
	decoder.UseNumber()
	if err := decoder.Decode(&failure); err != nil {
		d.t.Fatal(err)
	}
	if failure["code"] != string(code) {
		d.t.Fatalf("%s: code %v, want %s: %v", tool, failure["code"], code, failure)
	}
	return failure
}

// people are the callers, by token.
type people struct {
	mu    sync.Mutex
	by    map[string]*identity.Principal
	err   error // what auth answers instead of anything
	asked int
}

func newPeople() *people {
	company := identity.Company{ID: 7, Name: "Acme Ltda", Authorization: "Token CANARYmember"}
	other := identity.Company{ID: 8, Name: "Beta SA", Authorization: "Token CANARYother"}
	person := func(name string, scheme identity.Scheme) *identity.Principal {
		return &identity.Principal{
			Link:      identity.Link{ID: "pt_" + name, Scheme: scheme},
			Client:    identity.Client{ID: "personal", Name: "personal token"},
			Person:    identity.Person{ID: 1, Name: name, Email: name + "@example.com"},
			Companies: []identity.Company{company},
			Scope:     identity.Scope{Areas: []string{"harbour"}, Ask: identity.AskNever},
		}
	}
	p := &people{by: map[string]*identity.Principal{}}
	for _, name := range []string{"member", "reader", "admin", "both"} {
		p.by[name] = person(name, identity.Token)
	}
	p.by["reader"].Person.ReadOnly = true
	p.by["admin"].Person.SystemAdmin = true
	p.by["both"].Companies = []identity.Company{company, other}
	for _, name := range []string{"agent", "narrow"} {
		p.by[name] = person(name, identity.Bearer)
		p.by[name].Client = identity.Client{ID: "c1", Name: "Nice Agent"}
		p.by[name].Link.SessionUntil = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	}
	p.by["narrow"].Scope.Resources = map[string]identity.Resources{"ship": {IDs: []string{"12", "3"}}}
	return p
}

func (p *people) Authenticate(_ context.Context, c identity.Credential, area, _ string) (*identity.Principal, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if p.err != nil {
		return nil, p.err
	}
	if string(c.Value) == "elsewhere" {
		return nil, &identity.Refused{Kind: identity.RefusedArea, Areas: []string{"docs"}}
	}
	found, ok := p.by[string(c.Value)]
	if !ok || found.Link.Scheme != c.Scheme || area != "harbour" {
		if c.Scheme == identity.Token {
			return nil, &identity.Refused{Kind: identity.RefusedToken}
		}
		return nil, &identity.Refused{Kind: identity.RefusedBearer}
	}
	return found, nil
}

// upstream is the platform: a handler that each test writes, and what it was sent.
type upstream struct {
	url string

	mu      sync.Mutex
	handler http.HandlerFunc
	seen    []*http.Request
	bodies  []string
}

func newUpstream(t testing.TB) *upstream {
	u := &upstream{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		u.mu.Lock()
		u.seen, u.bodies = append(u.seen, r), append(u.bodies, string(body))
		handler := u.handler
		u.mu.Unlock()
		if handler == nil {
			http.Error(w, "{}", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	u.url = server.URL + "/v4"
	return u
}

func (u *upstream) answer(h http.HandlerFunc) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.handler = h
}

func (u *upstream) says(status int, body string) {
	u.answer(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

func (u *upstream) requests() []*http.Request {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]*http.Request{}, u.seen...)
}

// writerOf writes through a client as a running host does.
func writerOf(client *platform.Client) *once.Writer { return &once.Writer{Platform: client} }

// operations keeps operations in memory.
type operations struct {
	mu  sync.Mutex
	all []*operationv1.Operation
	err error
}

func (o *operations) Keep(context.Context, *operationv1.Operation, []byte) error { return o.err }

func (o *operations) Submit(_ context.Context, op *operationv1.Operation) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return o.err
	}
	o.all = append(o.all, op)
	return nil
}

func (o *operations) Get(_ context.Context, link, id string) (*operationv1.Operation, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, op := range o.all {
		if op.GetId() == id && op.GetLinkId() == link {
			return op, nil
		}
	}
	return nil, problem.New(problem.NoEncontrado, "No such operation.")
}

func (o *operations) List(_ context.Context, link string, limit int) ([]*operationv1.Operation, int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all[:min(limit, len(o.all))], len(o.all), nil
}

func (o *operations) Wait(ctx context.Context, link, id string, _ time.Duration) (*operationv1.Operation, error) {
	return o.Get(ctx, link, id)
}

func (o *operations) Cancel(ctx context.Context, link, id string) (*operationv1.Operation, error) {
	op, err := o.Get(ctx, link, id)
	if err == nil {
		op.State, op.Phase = operationv1.State_STATE_ERROR, operationv1.Phase_PHASE_CANCELLED
	}
	return op, err
}

// seals remembers what was sealed.
type seals struct {
	mu            sync.Mutex
	authorization identity.Secret
	payload       string
	err           error
}

func (s *seals) Await(_ context.Context, op *operationv1.Operation, bound []byte) (string, error) {
	if bound == nil {
		return "", s.err
	}
	return op.GetId() + "." + string(bound), s.err
}

func (s *seals) Resume(_ context.Context, _, state string, bound []byte) (string, error) {
	id, ok := strings.CutSuffix(state, "."+string(bound))
	if !ok {
		return "", identity.ErrState
	}
	return id, s.err
}

func (s *seals) Seal(_ context.Context, _, _ string, authorization identity.Secret, payload []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.authorization, s.payload = authorization, string(payload)
	if s.err != nil {
		return nil, s.err
	}
	return []byte("sealed"), nil
}

var errAway = errors.New("rpc error: connection refused to 10.9.8.7")
