package host

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
)

var (
	errGone      = errors.New("the client is gone")
	errCancelled = errors.New("the client cancelled the call")
)

// inflight knows the running calls, so that notifications/cancelled, which comes
// as a request of its own, can end one.
type inflight struct {
	mu    sync.Mutex
	calls map[callKey][]*runningCall
}

// callKey is a link and the request id that its client chose. Two programs on
// one link may choose the same id at the same time.
type callKey struct{ link, id string }

type runningCall struct{ cancel context.CancelCauseFunc }

// begin registers a call; the returned function must be called when it ends.
func (f *inflight) begin(ctx context.Context, key callKey) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	running := &runningCall{cancel}
	f.mu.Lock()
	if f.calls == nil {
		f.calls = map[callKey][]*runningCall{}
	}
	f.calls[key] = append(f.calls[key], running)
	f.mu.Unlock()
	return ctx, func() {
		cancel(nil)
		f.mu.Lock()
		defer f.mu.Unlock()
		rest := f.calls[key][:0:0]
		for _, other := range f.calls[key] {
			if other != running {
				rest = append(rest, other)
			}
		}
		if len(rest) == 0 {
			delete(f.calls, key)
			return
		}
		f.calls[key] = rest
	}
}

// cancel ends the call with this key. Where several have it, it cannot be known
// which one is meant, and none is ended.
func (f *inflight) cancel(key callKey) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.calls[key]) != 1 {
		return false
	}
	f.calls[key][0].cancel(errCancelled)
	return true
}

// notified acts on a notification. All but one tell a server without sessions nothing.
func (g *Gate) notified(m *message, c *caller) {
	if m.method != methodCancelled || c.principal == nil {
		return
	}
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
		Reason    string          `json:"reason"`
	}
	if json.Unmarshal(m.params, &params) != nil || len(params.RequestID) == 0 {
		return
	}
	if g.inflight.cancel(callKey{c.linkID(), string(params.RequestID)}) {
		g.wiring.Log.Info("a call was cancelled by its client", "link", c.linkID(), "reason", params.Reason)
	}
}
