package host

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// JSON-RPC error codes that this package writes itself.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeUnauthorized   = -32001 // contract §3: kept from the seed
	codeVersion        = -32022 // MCP 2026-07-28: unsupported protocol version
	codeTooMany        = 429    // outside the ranges that JSON-RPC and MCP reserve
)

// rpcError is a JSON-RPC error object. Its field order is what contract §3 shows.
type rpcError struct {
	Version string          `json:"jsonrpc"`
	Error   rpcErrorBody    `json:"error"`
	ID      json.RawMessage `json:"id"` // nil is written as null
}

type rpcErrorBody struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// writeError writes a JSON-RPC error as the whole answer. id is the request's id
// as it came, or nil where it is not known.
func writeError(w http.ResponseWriter, status int, id json.RawMessage, code int, message string) {
	writeErrorData(w, status, id, code, message, nil)
}

func writeErrorData(w http.ResponseWriter, status int, id json.RawMessage, code int, message string, data any) {
	body, err := json.Marshal(rpcError{"2.0", rpcErrorBody{code, message, data}, id})
	if err != nil { // an id that is no JSON; the caller checked it, so this is a fault of ours
		body = []byte(`{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":null}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client going away is no fault of ours
}

// retryAfter sets Retry-After in whole seconds, at least 1.
func retryAfter(h http.Header, wait time.Duration) {
	h.Set("Retry-After", strconv.FormatInt(max(1, int64((wait+time.Second-1)/time.Second)), 10))
}
