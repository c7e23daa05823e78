package host

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// dispatch picks the lane. JSON is the answer unless the client can only read a
// stream, or can read one and asked to hear of progress.
//
// tools/list and tools/call in JSON are answered right here: they are nearly all
// of the traffic, and a way through go-sdk decodes each message a dozen times.
// Both lanes share the code that makes the result (see direct_test.go).
func (g *Gate) dispatch(w http.ResponseWriter, r *http.Request, rq *request, accept accepted) {
	stream := !accept.json || accept.stream && rq.message.wantsProgress()
	if !stream && rq.message.wellFormed(r.Header) || rq.caller.principal == nil {
		switch rq.message.method {
		case methodList:
			g.directList(w, rq)
			return
		case methodCall:
			g.directCall(w, r, rq)
			return
		}
	}
	// What these would ask for does not exist here; go-sdk refuses them.
	r.Header.Del("Last-Event-ID")
	r.Header.Del("Mcp-Session-Id")
	r.Header.Set("Accept", "application/json, text/event-stream")
	body := rq.message.canonical()
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r = r.WithContext(withRequest(r.Context(), rq))
	if !stream {
		rq.profile.json.ServeHTTP(&plainErrors{ResponseWriter: w, id: rq.message.id}, r)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	rq.gone = ctx
	events := newEventWriter(w, g.cfg.KeepAlive)
	defer events.stop()
	rq.profile.sse.ServeHTTP(&plainErrors{ResponseWriter: events, id: rq.message.id}, r)
}
