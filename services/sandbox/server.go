package sandbox

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/engine"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/fault"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/people"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
	"github.com/comporta-mcp/comporta/services/sandbox/internal/store"
)

// server is the HTTP side: who asks, what is recorded, which faults befall.
type server struct {
	cfg     Config
	engine  *engine.Engine
	faults  *fault.Rules
	record  *record
	writing *writing
	graph   *analytics
	control http.Handler
	sleep   func(ctx context.Context, d time.Duration)
}

func newServer(cfg Config, e *engine.Engine) *server {
	s := &server{
		cfg:     cfg,
		engine:  e,
		faults:  fault.NewRules(),
		record:  newRecord(),
		writing: newWriting(),
		graph:   newAnalytics(),
		sleep:   sleep,
	}
	s.control = s.controls()
	return s
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/healthz":
		w.WriteHeader(http.StatusOK)
	case strings.HasPrefix(r.URL.Path, "/_sandbox/"):
		s.control.ServeHTTP(w, r)
	default:
		s.api(w, r)
	}
}

// call is one request of the API.
type call struct {
	http   *http.Request
	body   []byte
	path   string // below BasePath, escaped; "" when it is elsewhere
	holder people.Holder
	known  bool // the token is good
}

// api answers one request of the platform's API, well or, where a fault asks for it, badly.
func (s *server) api(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	c, err := s.newCall(w, r)
	entry := s.record.add(c, began)
	var answer reply
	if err != nil {
		answer = failed(err)
	} else {
		answer = s.misbehaving(c, func() reply { return s.answer(c) })
	}
	entry.answered(answer.status)
	s.graph.served(c, answer, began, time.Since(began))
	s.cfg.Log.Info("request", "method", r.Method, "path", r.URL.EscapedPath(),
		"account", c.holder.Company.ID, "status", answer.status, "fault", answer.fault, "took", time.Since(began))
	answer.write(w, r)
}

func (s *server) newCall(w http.ResponseWriter, r *http.Request) (*call, error) {
	c := &call{http: r}
	if rest, ok := strings.CutPrefix(r.URL.EscapedPath(), BasePath); ok && strings.HasPrefix(rest, "/") {
		c.path = rest
	}
	if values := r.Header.Values("Authorization"); len(values) == 1 {
		c.holder, c.known = people.ByAuthorization(values[0])
	}
	if c.known {
		err := s.engine.Store.View(func(tx *store.Tx) error {
			c.known = !tx.Revoked(c.holder.Name)
			return nil
		})
		if err != nil {
			return c, err
		}
	}
	var err error
	c.body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, s.cfg.MaxBody))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return c, refusal.New(http.StatusRequestEntityTooLarge, "The body is too large.")
	}
	if err != nil {
		return c, refusal.New(http.StatusBadRequest, "The body could not be read.")
	}
	return c, nil
}

func (c *call) writes() bool {
	return c.http.Method != http.MethodGet && c.http.Method != http.MethodHead
}

// answer is what the platform would say.
func (s *server) answer(c *call) reply {
	if !c.known {
		return failed(refusal.New(http.StatusUnauthorized, "The credentials are missing or not valid."))
	}
	if who, ok := identity(c); ok {
		return who
	}
	if told, ok := s.graph.answer(c); ok {
		return told
	}
	request, err := s.request(c)
	if err != nil {
		return failed(err)
	}
	a, err := s.engine.Do(request)
	if err != nil {
		return failed(err)
	}
	return reply{status: a.Status, media: a.Media, body: a.Body, object: request.Op.Answer.Raw && !c.writes()}
}

// request lays a call on the documents.
func (s *server) request(c *call) (*engine.Request, error) {
	match, ok := s.engine.Model.Match(c.path)
	if !ok {
		return nil, refusal.NotFound()
	}
	op := match.Operation(c.http.Method)
	if op == nil {
		return nil, &notAllowed{allow: match.Allow()}
	}
	if c.writes() && c.holder.Person.ReadOnly {
		return nil, refusal.New(http.StatusForbidden, "You may read, not write.")
	}
	if !op.Answer.Raw && !acceptsJSON(c.http.Header) {
		return nil, refusal.Header(http.StatusNotAcceptable, "Accept", "This answer comes as application/json only.")
	}
	self := *c.http.URL
	self.Scheme, self.Host = "http", c.http.Host
	request := &engine.Request{
		Op: op, Segments: match.Segments, Query: c.http.URL.Query(), Self: &self,
		Body: c.body, Media: media(c.http.Header), Holder: c.holder,
	}
	if s.cfg.IdempotencyKeys && c.writes() {
		request.IdempotencyKey = c.http.Header.Get("Idempotency-Key")
	}
	return request, nil
}

// media is the body's type. Uploads may name it in a header of their own.
func media(h http.Header) string {
	if own := h.Get("Storage-Content-Type"); own != "" {
		return own
	}
	return h.Get("Content-Type")
}

func acceptsJSON(h http.Header) bool {
	accept := strings.Join(h.Values("Accept"), ",")
	if accept == "" {
		return true
	}
	for part := range strings.SplitSeq(accept, ",") {
		kind, _, _ := strings.Cut(part, ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "*/*", "application/*", "application/json":
			return true
		}
	}
	return false
}
