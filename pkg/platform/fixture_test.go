package platform

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// The tools that the tests call; made by hand, since a catalogue needs documents.
var (
	thingPath = catalog.Param{Arg: "thing_id", Name: "thing_id", In: catalog.Path, Required: true}
	thingBody = &catalog.Body{MediaType: "application/json", Required: true, Fields: []string{"name", "modules", "note"}}

	retrieveThing = &catalog.Tool{
		Name: "retrieve_thing", Effect: catalog.Read,
		Binding: &catalog.Binding{Method: "GET", Path: "/things/{thing_id}", Params: []catalog.Param{thingPath}, Accepts: "application/json"},
	}
	listThings = &catalog.Tool{
		Name: "list_things", Effect: catalog.Read,
		List: &catalog.List{Key: "results", TotalKey: "count", PageArg: "page", SizeArg: "page_size", MaxSize: 100},
		Binding: &catalog.Binding{Method: "GET", Path: "/things", Accepts: "application/json", Params: []catalog.Param{
			{Arg: "name", Name: "name", In: catalog.Query, Style: "form", Explode: true},
			{Arg: "page", Name: "page", In: catalog.Query, Style: "form", Explode: true},
		}},
	}
	createThing = &catalog.Tool{
		Name: "create_thing", Effect: catalog.Write, Creates: true, Find: &catalog.Find{List: "list_things", By: []catalog.Match{{Arg: "name", Field: "name"}}},
		Binding: &catalog.Binding{Method: "POST", Path: "/things", Body: thingBody, Accepts: "application/json"},
	}
	updateThing = &catalog.Tool{
		Name: "update_thing", Effect: catalog.Write, Idempotent: true, Retrieve: "retrieve_thing",
		Binding: &catalog.Binding{Method: "PATCH", Path: "/things/{thing_id}", Params: []catalog.Param{thingPath}, Body: thingBody, Accepts: "application/json"},
	}
	deleteThing = &catalog.Tool{
		Name: "delete_thing", Effect: catalog.Destructive, Idempotent: true, Retrieve: "retrieve_thing",
		Binding: &catalog.Binding{Method: "DELETE", Path: "/things/{thing_id}", Params: []catalog.Param{thingPath}, Accepts: "application/json"},
	}
	purgeThings = &catalog.Tool{ // nothing tells what became of it
		Name: "purge_things", Effect: catalog.Destructive,
		Binding: &catalog.Binding{Method: "POST", Path: "/purge", Body: &catalog.Body{MediaType: "application/json", Whole: "body"}, Accepts: "application/json"},
	}
	downloadThing = &catalog.Tool{
		Name: "download_thing", Effect: catalog.Read,
		Binding: &catalog.Binding{Method: "GET", Path: "/things/{thing_id}/content", Params: []catalog.Param{thingPath}, Accepts: "application/octet-stream", Content: true},
	}
)

func withID(tool *catalog.Tool, id string) Request {
	return Request{Tool: tool, Args: map[string]any{"thing_id": json.Number(id)}, Authorization: "Token secret", CompanyID: 1}
}

func creation(name string) Request {
	return Request{Tool: createThing, Args: map[string]any{"name": name}, Authorization: "Token secret", CompanyID: 1}
}

// seen is one request as it arrived.
type seen struct {
	method, target, body string
	header               http.Header
}

// stub stands in for the platform and remembers every request.
type stub struct {
	*httptest.Server
	mu   sync.Mutex
	seen []seen
}

func newStub(t testing.TB, handle http.HandlerFunc) *stub {
	t.Helper()
	s := &stub{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.seen = append(s.seen, seen{r.Method, r.RequestURI, string(body), r.Header.Clone()})
		s.mu.Unlock()
		handle(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *stub) requests() []seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]seen(nil), s.seen...)
}

// answer writes one answer of the given type, whatever was asked.
func answer(status int, contentType, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func answerJSON(status int, body string, headers ...string) http.HandlerFunc {
	return answer(status, "application/json", body, headers...)
}

// inTurn uses one handler after the other, and the last one for all that follows.
func inTurn(handlers ...http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	next := 0
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		handle := handlers[min(next, len(handlers)-1)]
		next++
		mu.Unlock()
		handle(w, r)
	}
}

// drop closes the connection without an answer.
func drop(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// clock is a time that passes only while somebody sleeps.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.slept = append(c.slept, d)
	return ctx.Err()
}

// clientOf is a client of the stub with a clock of its own.
func clientOf(t testing.TB, base string, change ...func(*Config, *Options)) (*Client, *clock) {
	t.Helper()
	time := &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(transport.CloseIdleConnections)
	cfg, o := Config{URL: base + "/v4"}, Options{HTTP: &http.Client{Transport: transport}, Now: time.Now, Sleep: time.Sleep}
	for _, f := range change {
		f(&cfg, &o)
	}
	return New(cfg, o), time
}
