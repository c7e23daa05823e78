package once

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/platform"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// lossy is a platform over HTTP that takes its first creation and then hangs up.
type lossy struct {
	mu    sync.Mutex
	names []string
	posts int
}

func (l *lossy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.Method == http.MethodPost {
		var thing struct{ Name string }
		_ = json.NewDecoder(r.Body).Decode(&thing)
		l.names = append(l.names, thing.Name)
		if l.posts++; l.posts == 1 {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_ = conn.Close()
			}
			return
		}
	}
	results := []any{}
	for i, name := range l.names {
		results = append(results, map[string]any{"id": 9007199254740993 + int64(i), "name": name})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"count": len(results), "results": results})
}

func TestACutOffCreationOverHTTPIsMadeOnceAndFound(t *testing.T) {
	for _, patient := range []bool{false, true} {
		t.Run(fmt.Sprintf("patient %t", patient), func(t *testing.T) {
			l := &lossy{}
			server := httptest.NewServer(l)
			defer server.Close()
			now := time.Now()
			w := &Writer{
				Platform: platform.New(platform.Config{URL: server.URL, IdempotencyHeader: "Idempotency-Key"}, platform.Options{}),
				Tools:    tools, Patient: patient, Now: func() time.Time { return now },
			}
			j := &journal{}
			request := platform.Request{Tool: createTool, Args: map[string]any{"name": "shop"}, Key: "k"}
			if _, err := w.Write(t.Context(), request, j); err == nil || platform.IsUnknown(err) == patient {
				t.Fatalf("first: %v", err)
			}
			now = now.Add(defaultSettle)
			answer, err := w.Write(t.Context(), request, j)
			if err != nil {
				t.Fatal(err)
			}
			if id := answer.Value["data"].(map[string]any)["id"]; id != json.Number("9007199254740993") {
				t.Errorf("id %v", id)
			}
			if l.posts != 1 || j.step.State != operationv1.Step_STATE_ANSWERED {
				t.Errorf("%d POSTs, journal %v", l.posts, j.step.State)
			}
		})
	}
}
