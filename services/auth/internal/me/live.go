package me

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/comporta-mcp/comporta/pkg/audit"
	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/services/auth/internal/link"
	"github.com/comporta-mcp/comporta/services/auth/internal/signin"
)

const (
	// maxStreams and maxOfOne bound the pages that listen, on this replica and of one person.
	maxStreams = 2000
	maxOfOne   = 6
	// maxListened bounds the links whose changes one page hears of.
	maxListened = 50
	// streamLife is when a page must come back: it may have moved to another replica.
	streamLife = 30 * time.Minute
	// settle is how long changes are gathered before the page is told.
	settle = 400 * time.Millisecond
	// atLeast is how often a page is told in any case: time itself changes things, and
	// a signal may get lost.
	atLeast = 30 * time.Second
)

// Signals tell that something of a person's changed. They carry nothing, and may get
// lost: who wants to know what changed reads it.
type Signals struct {
	conn *nats.Conn

	mu      sync.Mutex
	streams map[int64]int // by person
	total   int
	closed  bool
	done    chan struct{}
}

// NewSignals makes Signals; Close ends every stream.
func NewSignals(conn *nats.Conn) *Signals {
	return &Signals{conn: conn, streams: map[int64]int{}, done: make(chan struct{})}
}

// Close ends every stream, so that the server can stop.
func (s *Signals) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.done)
	}
}

// enter takes a place among the streams; false: there is none.
func (s *Signals) enter(person int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.total >= maxStreams || s.streams[person] >= maxOfOne {
		return false
	}
	s.total++
	s.streams[person]++
	return true
}

func (s *Signals) leave(person int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total--
	if s.streams[person]--; s.streams[person] == 0 {
		delete(s.streams, person)
	}
}

// listen signals on the channel when one of these subjects is published to.
func (s *Signals) listen(subjects []string, signal chan<- struct{}) (stop func(), err error) {
	var all []*nats.Subscription
	stop = func() {
		for _, one := range all {
			_ = one.Unsubscribe()
		}
	}
	for _, subject := range subjects {
		one, err := s.conn.Subscribe(subject, func(*nats.Msg) {
			select {
			case signal <- struct{}{}:
			default: // one is on its way
			}
		})
		if err != nil {
			stop()
			return nil, fmt.Errorf("listen for changes: %w", err)
		}
		all = append(all, one)
	}
	return stop, nil
}

// subjectsOf are where what a person sees is written.
func subjectsOf(person int64, links []*link.Record) []string {
	subjects := []string{
		fmt.Sprintf("$KV.%s.by.%d.*", bus.Links, person),
		fmt.Sprintf("$KV.%s.%d.*", bus.Secrets, person),
	}
	_, living := idsOf(links)
	for _, id := range living[:min(len(living), maxListened)] {
		subjects = append(subjects, "$KV."+bus.Links+"."+id, "$KV."+bus.Operations+"."+id+".*", audit.Subject(id))
	}
	return subjects
}

// Live answers GET /me/live: an event stream that says when the page is old.
func (h *Handler) Live(w http.ResponseWriter, r *http.Request) {
	session, err := h.SignIn.Sessions.Get(r.Context(), h.SignIn.Cookies.Person(r))
	switch {
	case errors.Is(err, signin.ErrNone):
		http.Error(w, "Nobody is signed in.", http.StatusNoContent) // a browser does not come back after it
		return
	case err != nil:
		http.Error(w, "Not available right now.", http.StatusServiceUnavailable)
		return
	case !h.Signals.enter(session.PersonID):
		w.Header().Set("Retry-After", "60")
		http.Error(w, "Too many pages are open.", http.StatusServiceUnavailable)
		return
	}
	defer h.Signals.leave(session.PersonID)
	ctx, cancel := context.WithTimeout(r.Context(), streamLife)
	defer cancel()
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("X-Accel-Buffering", "no") // proxies that would gather it
	stream := &stream{w: w, control: http.NewResponseController(w)}
	_ = stream.control.SetReadDeadline(time.Time{}) // the server's is for requests that end
	if stream.send("retry: 5000\n\n") != nil {
		return
	}
	if err := h.follow(ctx, r, session, stream); err != nil && ctx.Err() == nil {
		h.Log.DebugContext(ctx, "an event stream ended", "error", err)
	}
}

// stream is one page that listens.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (s *stream) send(text string) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTime)) // of the real clock, as the server's
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}

// follow tells the page until it leaves, its person signs out, or auth stops.
func (h *Handler) follow(ctx context.Context, r *http.Request, session *signin.Session, s *stream) error {
	signal := make(chan struct{}, 1)
	var subjects []string
	stop := func() {}
	defer func() { stop() }()
	for first := true; ; first = false {
		if _, err := h.SignIn.Sessions.Get(ctx, h.SignIn.Cookies.Person(r)); errors.Is(err, signin.ErrNone) {
			return nil
		}
		links, err := h.Links.OfPerson(ctx, session.PersonID)
		if err != nil {
			return err
		}
		if now := subjectsOf(session.PersonID, links); !slices.Equal(now, subjects) { // a link came or went
			stop()
			if stop, err = h.Signals.listen(now, signal); err != nil {
				stop = func() {}
				return err
			}
			subjects = now
		}
		if !first {
			if err := s.send("event: change\ndata: {}\n\n"); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-h.Signals.done:
			return nil
		case <-time.After(atLeast):
			continue
		case <-signal:
		}
		select { // the rest of what belongs together
		case <-ctx.Done():
			return nil
		case <-time.After(settle):
		}
		select {
		case <-signal:
		default:
		}
	}
}
