package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// orders is a platform that answers 201 at once and is done later, as the
// resource's status tells.
type orders struct {
	mu       sync.Mutex
	statuses []string // of each look, the last one for good
	looks    int
}

func (o *orders) serve(w http.ResponseWriter, r *http.Request) bool {
	if !strings.HasPrefix(r.URL.Path, "/orders") {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	status := o.statuses[min(o.looks, len(o.statuses)-1)]
	o.looks++
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodPost {
		w.WriteHeader(http.StatusCreated)
	}
	_, _ = fmt.Fprintf(w, `{"state":"executed","data":{"id":5,"status":%q}}`, status)
	return true
}

func TestAnOperationEndsByTheStatusThatItsToolDeclares(t *testing.T) {
	for name, c := range map[string]struct {
		statuses []string
		code     problem.Code
		reason   string
		looks    int
	}{
		"done with the first answer":   {[]string{"active"}, "", "", 1},
		"done after a while":           {[]string{"pending", "pending", "challenge_verification", "active"}, "", "", 4},
		"failed at once":               {[]string{"failed"}, problem.EstadoInvalido, problem.Plataforma, 1},
		"failed after a while":         {[]string{"pending", "failed"}, problem.EstadoInvalido, problem.Plataforma, 2},
		"never done":                   {[]string{"pending"}, problem.EstadoInvalido, problem.ResultadoDesconocido, 0},
		"in a status nobody has heard": {[]string{"resting"}, problem.EstadoInvalido, problem.ResultadoDesconocido, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			platform := &orders{statuses: c.statuses}
			b.stand.instead = platform.serve
			b.hire("w1", func(h *hand) {
				if c.reason == problem.ResultadoDesconocido { // nothing more will come
					h.Work.VerifyFor = time.Second
				}
			}).run()
			view := b.endsWith(b.submit("order_certificate", map[string]any{"name": "shop"}), c.code, c.reason)
			if c.code == "" {
				want := map[string]any{"state": "executed", "data": map[string]any{"id": json.Number("5"), "status": "active"}}
				if diff := cmp.Diff(want, view["resultado"]); diff != "" {
					t.Error(diff)
				}
			}
			platform.mu.Lock()
			defer platform.mu.Unlock()
			if c.looks > 0 && platform.looks != c.looks {
				t.Errorf("asked %d times, want %d", platform.looks, c.looks)
			}
		})
	}
}

// TestAnUploadEndsWhenTheListShowsIt: its content travels outside of the record,
// closed, and its answer stays its own.
func TestAnUploadEndsWhenTheListShowsIt(t *testing.T) {
	b := newBench(t)
	content := strings.Repeat("\u00e9", 1<<20)
	var mu sync.Mutex
	var got string
	looks := 0
	b.stand.instead = func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			got = string(body)
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, `{"state":"pending","data":{"object_key":"docs/a"}}`)
			return true
		}
		looks++
		if got == "" || looks < 4 {
			_, _ = io.WriteString(w, `{"results":[{"key":"docs/a.old"}]}`)
			return true
		}
		_, _ = fmt.Fprintf(w, `{"results":[{"key":%q},{"key":"docs/a.old"}]}`, r.URL.Query().Get("prefix"))
		return true
	}
	large := map[string]any{"body": content}
	op := b.operation("store_file", map[string]any{"file_key": "docs/a"})
	closed, key, err := operation.Close(large, op.GetId())
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := json.Marshal(map[string]any{operation.PayloadKey: key})
	if err != nil {
		t.Fatal(err)
	}
	b.hire("w1", func(h *hand) {
		h.Rights = rights(func(context.Context, *operationv1.Operation) (*identity.Principal, []byte, error) {
			return principal(), sealed, nil
		})
	}).run()
	if err := b.store.Keep(t.Context(), op, closed); err != nil {
		t.Fatal(err)
	}
	if err := b.store.Submit(t.Context(), op); err != nil {
		t.Fatal(err)
	}
	view := b.endsWith(op, "", "")
	want := map[string]any{"state": "executed", "data": map[string]any{"object_key": "docs/a"}}
	if diff := cmp.Diff(want, view["resultado"]); diff != "" {
		t.Error(diff)
	}
	mu.Lock()
	defer mu.Unlock()
	if got != content || looks < 4 {
		t.Errorf("%d bytes arrived, want %d; looked %d times", len(got), len(content), looks)
	}
}
