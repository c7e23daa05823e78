package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/comporta-mcp/comporta/pkg/agent/ndjson"
)

// Run carries messages until stdin closes or ctx ends. Both are a good end.
func Run(ctx context.Context, cfg Config) error {
	if err := cfg.prepare(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &relay{Config: cfg, ctx: ctx, client: newClient(&cfg), running: map[string]context.CancelFunc{}}
	if cfg.ReadOnly {
		r.readOnly = &readOnly{}
	}
	r.previous = make(chan struct{})
	close(r.previous)

	lines := make(chan received)
	go r.read(lines) // a read from stdin cannot be ended; it goes with the process
	for {
		select {
		case <-ctx.Done():
			r.leave(cancel, 0)
			return nil
		case line := <-lines:
			if errors.Is(line.err, io.EOF) {
				r.leave(cancel, leaving)
				return nil
			}
			if line.err != nil {
				return fmt.Errorf("reading stdin: %w", line.err)
			}
			r.take(line)
		}
	}
}

// relay is one running bridge.
type relay struct {
	Config
	ctx      context.Context
	client   *http.Client
	readOnly *readOnly // nil: everything

	work     sync.WaitGroup
	previous chan struct{} // closed when the last message that keeps its place was sent

	out sync.Mutex // one line at a time

	reopening sync.Mutex // held while a forgotten session is opened again

	mu      sync.Mutex
	session session
	running map[string]context.CancelFunc // requests, by id
}

type received struct {
	text    []byte
	tooLong bool
	err     error
}

func (r *relay) read(lines chan<- received) {
	for in := ndjson.NewReader(r.In, maxMessage); ; {
		text, tooLong, err := in.Next()
		select {
		case lines <- received{text, tooLong, err}:
		case <-r.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// take starts the way of one message. Requests go side by side; initialize and
// notifications keep their place in the order, since what follows builds on them.
func (r *relay) take(line received) {
	if line.tooLong {
		if id, ok := ndjson.ID(line.text); ok {
			r.write(failure(id, internalError, fmt.Sprintf("the request is longer than %d bytes and was not sent", maxMessage)))
		}
		return
	}
	m, err := parse(line.text)
	if err != nil {
		r.Log.Warn("a line on stdin is no message and was passed over", "bytes", len(line.text))
		return
	}
	before := r.previous
	var mine chan struct{}
	if m.Method == "initialize" || len(m.requests()) == 0 {
		mine = make(chan struct{})
		r.previous = mine
	}
	ctx, cancel := context.WithCancel(r.ctx)
	r.track(m.requests(), cancel)
	r.work.Go(func() {
		defer cancel()
		if mine != nil {
			defer close(mine)
		}
		select {
		case <-before:
		case <-ctx.Done():
		}
		r.handle(ctx, m)
		r.untrack(m.requests())
	})
}

// handle sees one message through.
func (r *relay) handle(ctx context.Context, m message) {
	if m.Method == "notifications/cancelled" && !r.legacy() {
		r.cancel(m.Params.RequestID) // the closed stream is what tells the server
		return
	}
	if r.readOnly != nil && !r.permitted(ctx, &m) {
		return
	}
	answered, err := r.forward(ctx, m)
	for _, id := range m.requests() {
		switch {
		case answered[key(id)]:
		case ctx.Err() != nil && r.ctx.Err() == nil: // cancelled by the client, which expects nothing
		case err != nil:
			r.write(err.answer(id))
		default:
			r.write(failure(id, internalError, "the server's stream ended without an answer"))
		}
	}
	if err != nil && len(m.requests()) == 0 {
		r.Log.Warn("a message was not taken", "method", m.Method, "error", err.text)
	}
	if m.Method == "notifications/initialized" && err == nil {
		r.work.Go(func() { r.listen() })
	}
}

func (r *relay) track(ids []json.RawMessage, cancel context.CancelFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		r.running[key(id)] = cancel
	}
}

func (r *relay) untrack(ids []json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		delete(r.running, key(id))
	}
}

func (r *relay) cancel(id json.RawMessage) {
	r.mu.Lock()
	cancel := r.running[key(id)]
	r.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// write puts one message on stdout.
func (r *relay) write(line []byte) {
	r.out.Lock()
	defer r.out.Unlock()
	if _, err := r.Out.Write(append(line, '\n')); err != nil {
		r.Log.Warn("writing to stdout failed", "error", err)
	}
}

// leave waits a while for the answers that are under way, then ends the session.
func (r *relay) leave(cancel context.CancelFunc, patience time.Duration) {
	r.stopListening()
	done := make(chan struct{})
	go func() { r.work.Wait(); close(done) }()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
	cancel()
	<-done
	r.endSession()
}
