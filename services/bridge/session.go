package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// session is what a handshake of the revisions before 2026-07-28 leaves behind.
type session struct {
	id      string // Mcp-Session-Id; empty: the server has none
	version string // that both agreed on; empty: no handshake
	opening []byte // the initialize request, to open it again
	stop    context.CancelFunc
}

// describe sets the headers that HTTP wants besides the message.
func (s session) describe(h http.Header, m *message) {
	if version := m.Params.Version; version != "" {
		h.Set("Mcp-Protocol-Version", version)
		h.Set("Mcp-Method", m.Method)
		if target := m.target(); target != "" {
			h.Set("Mcp-Name", headerValue(target))
		}
		return
	}
	if m.Method == "initialize" {
		return
	}
	if s.version != "" {
		h.Set("Mcp-Protocol-Version", s.version)
	}
	if s.id != "" {
		h.Set("Mcp-Session-Id", s.id)
	}
}

func (r *relay) current() session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session
}

// legacy reports whether a handshake was made.
func (r *relay) legacy() bool { return r.current().version != "" }

// learnSession keeps what the answer to initialize says in its header.
func (r *relay) learnSession(m *message, resp *http.Response) {
	if m.Method != "initialize" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.session.id, r.session.opening = resp.Header.Get("Mcp-Session-Id"), m.raw
}

// learnVersion keeps the version that the answer to initialize names.
func (r *relay) learnVersion(m *message, answer []byte) {
	if m.Method != "initialize" {
		return
	}
	var got struct {
		Result struct {
			Version string `json:"protocolVersion"`
			Server  struct {
				Name    string `json:"name"`
				Version string `json:"version"`
			} `json:"serverInfo"`
		} `json:"result"`
	}
	if json.Unmarshal(answer, &got) != nil || got.Result.Version == "" {
		return
	}
	r.mu.Lock()
	r.session.version = got.Result.Version
	r.mu.Unlock()
	r.Log.Info("connected", "server", got.Result.Server.Name, "version", got.Result.Server.Version, "protocol", got.Result.Version)
}

// reopen makes the handshake again after the server has forgotten old. Of many
// requests that notice, one does it.
func (r *relay) reopen(ctx context.Context, old session) *refusal {
	r.reopening.Lock()
	defer r.reopening.Unlock()
	if r.current().id != old.id {
		return nil
	}
	opening, err := parse(old.opening)
	if err != nil {
		return &refusal{text: "the server has forgotten the session"}
	}
	resp, err := r.post(ctx, opening, session{})
	if err != nil {
		return r.unreachable(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return r.refused(resp)
	}
	r.learnSession(&opening, resp)
	done, err := parse([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	if err != nil {
		return &refusal{text: err.Error()}
	}
	ready, err := r.post(ctx, done, r.current())
	if err != nil {
		return r.unreachable(err)
	}
	r.listenAgain()
	return closed(ready)
}

func closed(resp *http.Response) *refusal {
	_ = resp.Body.Close()
	return nil
}

// listen passes on what the server says on its own, for as long as it offers that.
func (r *relay) listen() {
	ctx, stop := context.WithCancel(r.ctx)
	r.mu.Lock()
	if r.session.version == "" || r.session.stop != nil {
		r.mu.Unlock()
		stop()
		return
	}
	r.session.stop = stop
	r.mu.Unlock()
	defer stop()
	last, offered := "", false
	for n := 0; n <= retries; n++ {
		began := time.Now()
		if body := r.open(ctx, last); body != nil {
			offered = true
			_ = events(body, func(e event) {
				n = 0
				if e.id != "" {
					last = e.id
				}
				r.pass(&message{}, e.data, nil)
			})
			_ = body.Close()
		}
		if time.Since(began) > longWait {
			n = 0
		}
		if !offered || !sleep(ctx, r.pause(n)) {
			return
		}
	}
}

// listenAgain takes up the new session's stream where the old one's was open.
func (r *relay) listenAgain() {
	r.mu.Lock()
	stop := r.session.stop
	r.session.stop = nil
	r.mu.Unlock()
	if stop != nil {
		stop()
		r.work.Go(r.listen)
	}
}

func (r *relay) stopListening() {
	if stop := r.current().stop; stop != nil {
		stop()
	}
}

// endSession tells the server that the session is over.
func (r *relay) endSession() {
	s := r.current()
	if s.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, r.URL, bytes.NewReader(nil))
	if err != nil {
		return
	}
	s.describe(req.Header, &message{})
	if resp, err := r.client.Do(req); err == nil {
		_ = resp.Body.Close()
	}
}
