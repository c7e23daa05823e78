package host

import (
	"errors"
	"mime"
	"net/http"
)

// serveMCP takes an authenticated request apart and sends it down its lane:
// tools/list and tools/call are answered here, everything else of MCP by go-sdk.
func (g *Gate) serveMCP(w http.ResponseWriter, r *http.Request, p *profile, c *caller) {
	if r.Method != http.MethodPost {
		if !g.spent(w, r, c) {
			w.Header().Set("Allow", "POST, OPTIONS")
			writeError(w, http.StatusMethodNotAllowed, nil, codeInvalidRequest, "Method not allowed: this server keeps no sessions and no streams to listen to; send POST")
		}
		return
	}
	accept := parseAccept(r.Header.Values("Accept"))
	m, ok := g.admitMessage(w, r, c, accept)
	if !ok {
		return
	}
	if m.method == "" || m.notification() {
		g.notified(m, c)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if !checkMethod(w, m, eraOf(r.Header)) {
		return
	}
	g.dispatch(w, r, &request{profile: p, caller: c, message: m, era: eraOf(r.Header), lang: g.language(r)}, accept)
}

// admitMessage reads the body and refuses what no method could answer. Every
// request but a tools/call counts against the link's limit of other requests.
func (g *Gate) admitMessage(w http.ResponseWriter, r *http.Request, c *caller, accept accepted) (*message, bool) {
	m := c.message
	if m == nil {
		var err error
		if m, err = readMessage(w, r, g.readUpTo); err == nil && g.tooLong(m) {
			err = g.tooLongError()
		}
		if err != nil {
			if !g.spent(w, r, c) {
				writeReadError(w, err)
			}
			return nil, false
		}
	}
	if !m.isCall() && g.spent(w, r, c) {
		return nil, false
	}
	switch media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); {
	case media != "application/json":
		writeError(w, http.StatusUnsupportedMediaType, m.id, codeInvalidRequest, "Content-Type must be application/json")
	case !accept.json && !accept.stream:
		writeError(w, http.StatusNotAcceptable, m.id, codeInvalidRequest, "Accept must allow application/json or text/event-stream")
	case m.batch:
		g.refuse(r, Refusal{Address: c.address, Principal: c.principal, Status: http.StatusBadRequest, Message: "Batch refused"})
		writeError(w, http.StatusBadRequest, nil, codeInvalidRequest, "Batches are not supported; send one message per request")
	case errors.Is(m.fault, errNotJSON):
		writeError(w, http.StatusBadRequest, nil, codeParse, "Parse error: "+errNotJSON.Error())
	case m.fault != nil:
		writeError(w, http.StatusBadRequest, m.id, codeInvalidRequest, "Invalid request: "+m.fault.Error())
	default:
		return m, checkVersion(w, r, m)
	}
	return nil, false
}

func writeReadError(w http.ResponseWriter, err error) {
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		writeErrorData(w, http.StatusRequestEntityTooLarge, nil, codeInvalidRequest, "The request is too large",
			map[string]any{"max_bytes": tooLarge.Limit})
		return
	}
	writeError(w, http.StatusBadRequest, nil, codeInvalidRequest, "The request could not be read to its end")
}

// spent counts a request that is no tools/call and answers it where the link has
// had its share (contract §8).
func (g *Gate) spent(w http.ResponseWriter, r *http.Request, c *caller) bool {
	if c.principal == nil {
		return false // a ping without authentication was counted by its address
	}
	wait := g.wiring.Others(r.Context(), c.principal.Link.ID)
	if wait <= 0 {
		return false
	}
	g.refuse(r, Refusal{Address: c.address, Principal: c.principal, Status: http.StatusTooManyRequests, Message: "Too many requests"})
	retryAfter(w.Header(), wait)
	writeError(w, http.StatusTooManyRequests, nil, codeTooMany, "Too many requests")
	return true
}

func (c *caller) linkID() string {
	if c.principal == nil {
		return ""
	}
	return c.principal.Link.ID
}
