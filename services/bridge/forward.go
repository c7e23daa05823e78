package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// refusal is why a message has no answer, or a server's own error.
type refusal struct {
	body []byte // the server's JSON-RPC error; nil: none
	text string // in our words
}

func (e *refusal) answer(id json.RawMessage) []byte {
	if line, ok := withID(e.body, id); ok {
		return line
	}
	return failure(id, internalError, e.text)
}

// forward posts a message and writes what comes back. It says which requests were
// answered; the error is about the others.
func (r *relay) forward(ctx context.Context, m message) (answered map[string]bool, _ *refusal) {
	for again := true; ; again = false {
		s := r.current()
		resp, err := r.post(ctx, m, s)
		if err != nil {
			return nil, r.unreachable(err)
		}
		if resp.StatusCode == http.StatusNotFound && s.id != "" && again && m.Method != "initialize" {
			_ = resp.Body.Close()
			r.Log.Info("the server has forgotten the session; it is opened again")
			if err := r.reopen(ctx, s); err != nil {
				return nil, err
			}
			continue
		}
		return r.answers(ctx, m, resp)
	}
}

// post sends a message. One that did not reach the server is sent again, as the
// policy says; one that may have is not.
func (r *relay) post(ctx context.Context, m message, s session) (*http.Response, error) {
	for n := 0; ; n++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(m.raw))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		s.describe(req.Header, &m)
		resp, err := r.client.Do(req)
		if err == nil || n == retries || !unsent(err) {
			return resp, err
		}
		r.Log.Warn("the server cannot be reached; it is tried again", "error", err, "after", r.pause(n))
		if !sleep(ctx, r.pause(n)) {
			return nil, err
		}
	}
}

// pause is how long to wait before the nth repeat (from 0).
func (r *relay) pause(n int) time.Duration { return min(r.Wait<<n, longWait) }

// unsent reports whether a request failed before it left.
func unsent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

func (r *relay) unreachable(err error) *refusal {
	if unsent(err) {
		return &refusal{text: fmt.Sprintf("%s cannot be reached: %v. Check the address and that the server runs.", r.URL, err)}
	}
	return &refusal{text: fmt.Sprintf("the request to %s failed, and whether it took effect is not known: %v", r.URL, err)}
}

// answers reads a response and writes its messages.
func (r *relay) answers(ctx context.Context, m message, resp *http.Response) (map[string]bool, *refusal) {
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return nil, r.refused(resp)
	}
	r.learnSession(&m, resp)
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case len(m.requests()) == 0:
		return nil, nil
	case kind == "text/event-stream":
		return r.stream(ctx, m, resp.Body)
	case kind == "application/json":
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage+1))
		if err != nil {
			return nil, r.unreachable(err)
		}
		if len(body) > maxMessage {
			return nil, &refusal{text: fmt.Sprintf("the server's answer is longer than %d bytes and was dropped", maxMessage)}
		}
		answered := map[string]bool{}
		r.pass(&m, body, answered)
		return answered, nil
	}
	return nil, &refusal{text: fmt.Sprintf("%s answered HTTP %d with %q instead of a message. Is it the address of an MCP server?", r.URL, resp.StatusCode, kind)}
}

// errorBody bounds what is read of an answer that is an error.
const errorBody = 1 << 20

func (r *relay) refused(resp *http.Response) *refusal {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, errorBody)) // a broken body is an error all the same
	text := fmt.Sprintf("%s answered HTTP %d %s", r.URL, resp.StatusCode, http.StatusText(resp.StatusCode))
	text += whenAgain(resp.Header.Get("Retry-After"))
	r.Log.Warn("the server refused a request", "status", resp.StatusCode)
	return &refusal{body: body, text: text}
}

// whenAgain tells a Retry-After, seconds or a date; "" where it is neither.
func whenAgain(header string) string {
	if seconds, err := strconv.ParseUint(header, 10, 32); err == nil {
		return fmt.Sprintf("; try again after %d s", seconds)
	}
	if at, err := http.ParseTime(header); err == nil {
		return "; try again after " + at.UTC().Format(time.RFC3339)
	}
	return ""
}

// pass writes a body of messages and marks which of m's requests it answers.
func (r *relay) pass(m *message, body []byte, answered map[string]bool) {
	line, err := compact(body)
	if err != nil || len(line) == 0 {
		return
	}
	got, err := parse(line)
	if err != nil {
		return
	}
	if line = r.placed(m, got, line, answered); line == nil {
		r.Log.Warn("an answer that nobody waits for was dropped", "id", string(got.ID))
		return
	}
	r.learnVersion(m, line)
	if r.readOnly != nil {
		line = r.readOnly.filter(m, line)
	}
	r.write(line)
}

// placed gives an answer as the client can place it, and marks it; nil for one to
// another request, or the second to one: each request gets one answer.
func (r *relay) placed(m *message, got message, line []byte, answered map[string]bool) []byte {
	waiting := m.requests()
	if got.Method != "" || len(waiting) == 0 {
		return line
	}
	all := got.batch
	if all == nil {
		if string(got.ID) == "null" && len(waiting) == 1 {
			got.ID = waiting[0]
			line, _ = withID(line, got.ID)
		}
		known := func(id json.RawMessage) bool { return key(id) == key(got.ID) }
		if line == nil || answered[key(got.ID)] || !slices.ContainsFunc(waiting, known) {
			return nil
		}
		all = []message{got}
	}
	for _, one := range all {
		if one.Method == "" {
			answered[key(one.ID)] = true
		}
	}
	return line
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
