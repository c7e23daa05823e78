package sandbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/refusal"
)

// reply is what goes back, or that nothing does.
type reply struct {
	status int
	media  string
	body   []byte
	header map[string]string
	object bool   // an object's own bytes, of which a part may be asked for
	hangUp bool   // close the connection instead
	fault  string // the fault that made it so
}

func (a reply) write(w http.ResponseWriter, r *http.Request) {
	if a.hangUp {
		panic(http.ErrAbortHandler) // net/http closes the connection and says nothing
	}
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	if a.media != "" {
		w.Header().Set("Content-Type", a.media)
	}
	if a.object {
		sum := sha256.Sum256(a.body)
		w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.body)) // ranges and conditions
		return
	}
	if a.status != http.StatusNoContent {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // a client that went away hears nothing
}

// notAllowed is a known path without the method.
type notAllowed struct{ allow string }

func (e *notAllowed) Error() string { return "the path has only " + e.allow }

// failed is an error as the platform tells it; what is not the caller's is a 500,
// with its cause: nobody but developers meets the sandbox.
func failed(err error) reply {
	if e, ok := errors.AsType[*notAllowed](err); ok {
		a := failed(refusal.New(http.StatusMethodNotAllowed, "This path does not take that method."))
		a.header = map[string]string{"Allow": e.allow}
		return a
	}
	refused, ok := errors.AsType[*refusal.Refusal](err)
	if !ok {
		refused = refusal.New(http.StatusInternalServerError, "The sandbox failed: "+err.Error())
	}
	body, err := json.Marshal(refused)
	if err != nil {
		return reply{status: http.StatusInternalServerError}
	}
	return reply{status: refused.Status, media: "application/json", body: body}
}

func object(status int, v any) reply {
	body, err := json.Marshal(v)
	if err != nil {
		return failed(err)
	}
	return reply{status: status, media: "application/json", body: append(body, '\n')}
}
