package agent

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// server is one configured server: its connection, how often it was tried, and
// what it offers. The mutex guards the fields below it and is never held while
// anything is waited for.
type server struct {
	m      *Manager
	name   string
	cfg    ServerConfig
	dialer dialer

	mu      sync.Mutex
	state   State
	live    session // nil unless Connected
	tools   map[string]Tool
	stale   bool               // the server told of a change since tools were asked for
	listing bool               // again, in the background
	attempt *attempt           // in flight; nil: none
	stop    context.CancelFunc // of the attempt
	err     error              // why it is Failed
	stderr  []string           // of the last child
	since   time.Time          // when live connected
	failed  time.Time          // when the last round was given up
	losses  int                // connections lost soon after they were made, in a row
}

// attempt is one round of tries to connect. Whoever needs the server waits for the
// one that runs, so that many first calls start one child.
type attempt struct {
	done chan struct{}
	err  error // valid after done
}

func newServer(m *Manager, name string, cfg ServerConfig, d dialer) *server {
	s := &server{m: m, name: name, cfg: cfg, dialer: d, state: Failed, err: errors.New("not connected yet")}
	if cfg.Disabled {
		s.state, s.err = Disabled, ErrDisabled
	}
	return s
}

// session is the live connection; one is made, or waited for, where there is none.
func (s *server) session(ctx context.Context) (session, error) {
	s.mu.Lock()
	if live := s.live; live != nil && isDone(live) {
		s.mu.Unlock()
		s.lost(live)
		s.mu.Lock()
	}
	switch {
	case s.state == Disabled:
		s.mu.Unlock()
		return nil, ErrDisabled
	case s.live != nil:
		defer s.mu.Unlock()
		return s.live, nil
	case s.attempt == nil && time.Since(s.failed) < s.m.opts.Reconnect.Max:
		defer s.mu.Unlock()
		return nil, s.err
	}
	a, err := s.begin(0)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case <-a.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if a.err != nil {
		return nil, a.err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		return nil, s.err
	}
	return s.live, nil
}

// begin starts a round of tries, or gives the one that runs. The first try of a
// round waits as the nth repeat does; n 0 waits not at all. s.mu is held.
func (s *server) begin(n int) (*attempt, error) {
	if s.attempt != nil {
		return s.attempt, nil
	}
	ctx, stop := context.WithCancel(s.m.ctx)
	a := &attempt{done: make(chan struct{})}
	s.attempt, s.stop, s.state = a, stop, Connecting
	work := func() {
		defer stop()
		got, err := s.tryAll(ctx, n)
		s.finish(a, got, err)
	}
	if !s.m.spawn(work) {
		stop()
		s.attempt, s.state, s.err = nil, Failed, ErrClosed
		return nil, ErrClosed
	}
	return a, nil
}

// connected is what a successful try gives.
type connected struct {
	session session
	tools   map[string]Tool
}

func (s *server) tryAll(ctx context.Context, n int) (connected, error) {
	policy := s.m.opts.Reconnect
	last := n + policy.Tries
	if n > 0 {
		last = policy.Tries
	}
	for ; ; n++ {
		if n > 0 && !sleep(ctx, policy.delay(n-1)) {
			return connected{}, ctx.Err()
		}
		got, err := s.try(ctx)
		if err == nil || n >= last || ctx.Err() != nil || !worthRepeating(err) {
			return got, err
		}
		s.m.opts.Logger.Info("connecting failed; it is tried again", "server", s.name, "error", err)
	}
}

// try connects and lists once.
func (s *server) try(ctx context.Context) (connected, error) {
	within := s.cfg.ConnectTimeout
	if within == 0 {
		within = s.m.opts.ConnectTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	e := events{toolsChanged: s.relist}
	if ask := s.m.opts.Elicit; ask != nil {
		e.elicit = func(ctx context.Context, q *mcp.ElicitParams) (*mcp.ElicitResult, error) { return ask(ctx, s.name, q) }
	}
	got, err := s.dialer.dial(ctx, e)
	if err != nil {
		return connected{}, err
	}
	s.mu.Lock()
	s.stale = false
	s.mu.Unlock()
	listed, err := got.tools(ctx)
	if err != nil {
		got.close()
		return connected{}, listing(got, err)
	}
	return connected{got, s.offer(listed)}, nil
}

// finish ends a round: the connection is watched, or the failure kept.
func (s *server) finish(a *attempt, got connected, err error) {
	s.mu.Lock()
	if s.attempt != a { // disabled or replaced meanwhile
		err = ErrDisabled
	}
	switch {
	case err == nil:
		s.state, s.live, s.tools, s.err = Connected, got.session, got.tools, nil
		s.since = time.Now()
		if s.stale && !s.listing { // changed while it was listed
			s.listing = s.m.spawn(s.listAgain)
		}
	case s.attempt == a:
		s.state, s.err, s.failed = Failed, err, time.Now()
		s.stderr = stderrOf(err)
	}
	if s.attempt == a {
		s.attempt = nil
	}
	s.mu.Unlock()
	if err != nil && got.session != nil {
		got.session.close()
	}
	a.err = err
	close(a.done)
	if err == nil {
		s.m.spawn(func() { s.watch(got.session) })
	}
	s.changed()
}

// watch waits for the end of a connection.
func (s *server) watch(live session) {
	<-live.done()
	s.lost(live)
}

// lost takes a connection away that ended. One that was lost is made anew, after a
// wait, unless it was lost too often in a row. Whoever notices first does it.
func (s *server) lost(live session) {
	why := live.why()
	live.close()
	s.mu.Lock()
	if s.live != live { // ended by us, or noticed before
		s.mu.Unlock()
		return
	}
	s.live, s.err, s.stderr = nil, why, stderrOf(live)
	s.losses++
	if time.Since(s.since) > s.m.opts.Reconnect.Max {
		s.losses = 1
	}
	if s.losses > s.m.opts.Reconnect.Tries {
		s.state, s.failed = Failed, time.Now()
		s.losses = 0
	} else {
		_, _ = s.begin(s.losses)
	}
	s.mu.Unlock()
	s.m.opts.Logger.Warn("the connection was lost", "server", s.name, "error", why)
	s.changed()
}

func (s *server) enable() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed, s.losses = time.Time{}, 0
	if s.state == Disabled {
		s.state, s.err = Failed, errors.New("not connected yet")
	}
}

// disable ends the connection or the round of tries, and waits for the end.
func (s *server) disable() {
	s.mu.Lock()
	live, a := s.live, s.attempt
	if a != nil {
		s.stop()
	}
	s.state, s.live, s.attempt, s.err = Disabled, nil, nil, ErrDisabled
	s.mu.Unlock()
	if live != nil {
		live.close()
	}
	if a != nil {
		<-a.done
	}
	s.changed()
}

func (s *server) changed() {
	if tell := s.m.opts.Changed; tell != nil && s.m.ctx.Err() == nil {
		tell(s.name)
	}
}

// sleep waits for d and reports whether ctx still lives.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
