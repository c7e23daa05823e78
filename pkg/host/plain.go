package host

import (
	"encoding/json"
	"net/http"
	"strings"
)

// plainErrors turns go-sdk's refusals in plain text into JSON-RPC errors with
// the request's id. Their text is for its developers and does not go out.
type plainErrors struct {
	http.ResponseWriter
	id       json.RawMessage
	replaced bool
}

func (p *plainErrors) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(p.Header().Get("Content-Type"), "text/plain") {
		p.replaced = true
		p.Header().Del("Content-Length")
		writeError(p.ResponseWriter, status, p.id, codeInvalidRequest, http.StatusText(status))
		return
	}
	p.ResponseWriter.WriteHeader(status)
}

func (p *plainErrors) Write(b []byte) (int, error) {
	if p.replaced {
		return len(b), nil
	}
	return p.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the writer below.
func (p *plainErrors) Unwrap() http.ResponseWriter { return p.ResponseWriter }
