package host

import (
	"net/http"
	"strconv"
)

// directList answers tools/list with finished bytes.
func (g *Gate) directList(w http.ResponseWriter, rq *request) {
	body, refusal := g.list(rq)
	writeAnswer(w, rq, body, refusal)
}

// directCall answers tools/call. The call ends when its client goes away: without
// a session nobody could fetch the answer later.
func (g *Gate) directCall(w http.ResponseWriter, r *http.Request, rq *request) {
	if rq.caller.principal == nil {
		body, err := g.resultOf(rq, g.pong())
		if err != nil {
			writeAnswer(w, rq, nil, &rpcErrorBody{Code: codeInternal, Message: "Internal error"})
			return
		}
		writeAnswer(w, rq, body, nil)
		return
	}
	body, refusal := g.callTool(r.Context(), rq)
	writeAnswer(w, rq, body, refusal)
}

// writeAnswer writes a JSON-RPC response around finished bytes.
func writeAnswer(w http.ResponseWriter, rq *request, body []byte, refusal *rpcErrorBody) {
	if refusal != nil {
		status := http.StatusOK
		switch refusal.Code {
		case codeInvalidParams:
			status = invalidParamsStatus(rq.era)
		case codeTooMany:
			status = http.StatusTooManyRequests
			retryAfter(w.Header(), 0)
		}
		writeError(w, status, rq.message.id, refusal.Code, refusal.Message)
		return
	}
	const begin, middle, end = `{"jsonrpc":"2.0","id":`, `,"result":`, `}`
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(begin)+len(rq.message.id)+len(middle)+len(body)+len(end)))
	head := append(append([]byte(begin), rq.message.id...), middle...)
	for _, part := range [][]byte{head, body, []byte(end)} {
		if _, err := w.Write(part); err != nil {
			return // the client is gone
		}
	}
}
