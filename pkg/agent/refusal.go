package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// RefusedError is a remote server's HTTP status that is no answer: a refused
// credential, a wrong path, a server that is down.
type RefusedError struct {
	Status  int
	Message string        // the server's words where it sent a JSON-RPC error, else the status text
	After   time.Duration // Retry-After in seconds; 0: not said
}

func (e *RefusedError) Error() string { return fmt.Sprintf("HTTP %d: %s", e.Status, e.Message) }

// refusal is where a request's round trip leaves what go-sdk does not tell: of an
// error with "id": null, which is how a gate answers, it keeps the status alone.
type refusal struct{ atomic.Pointer[error] }

type refusalKey struct{}

// listen gives a context whose requests tell what refused them.
func (r *refusal) listen(ctx context.Context) context.Context {
	return context.WithValue(ctx, refusalKey{}, r)
}

// explain puts the refusal, if there was one, in the place of an error that says
// less: not of a context's, nor of a session that the server has forgotten.
func (r *refusal) explain(err error) error {
	known := r.Load()
	for _, better := range []error{context.Canceled, context.DeadlineExceeded, mcp.ErrSessionMissing} {
		if known == nil || errors.Is(err, better) {
			return err
		}
	}
	if err == nil {
		return nil
	}
	return *known
}

// status is the HTTP status that refused the request; 0: none did.
func (r *refusal) status() int {
	if known := r.Load(); known != nil {
		if e, ok := errors.AsType[*RefusedError](*known); ok {
			return e.Status
		}
	}
	return 0
}

// keep keeps a reason for the listener of ctx, if there is one.
func keep(ctx context.Context, reason error) {
	if r, ok := ctx.Value(refusalKey{}).(*refusal); ok {
		r.Store(&reason)
	}
}

// bound of an error's body that is read for its message.
const refusalBody = 64 << 10

// note keeps a response that is no answer, and gives it back unread.
func note(ctx context.Context, resp *http.Response) {
	if resp.StatusCode < 400 {
		return
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, refusalBody))
	if err != nil {
		return
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), resp.Body), resp.Body}
	e := &RefusedError{Status: resp.StatusCode, Message: http.StatusText(resp.StatusCode)}
	var message struct {
		ID    json.RawMessage `json:"id"`
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &message) == nil && message.Error.Message != "" {
		if id := string(message.ID); id != "" && id != "null" {
			return // an answer to the request: go-sdk tells it
		}
		e.Message = message.Error.Message
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		e.After = time.Duration(seconds) * time.Second
	}
	keep(ctx, e)
}
