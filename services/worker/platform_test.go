package worker

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/catalog"
)

// stand is a small platform: workloads that take a while to be made and removed.
type stand struct {
	*httptest.Server

	mu       sync.Mutex
	names    map[int]string
	pending  map[int]int // looks after which it is ready, or gone
	removing map[int]bool
	next     int
	posts    int
	deletes  int
	gets     int
	seen     map[string]int // Authorization values
	last     map[string]any // the last body

	looks   int                                           // pending looks of a new workload
	instead func(http.ResponseWriter, *http.Request) bool // answers in the stand's place; true: it did
	after   func(http.ResponseWriter, *http.Request) bool // the same, once a write took effect
}

func newStand(t *testing.T) *stand {
	s := &stand{names: map[int]string{}, pending: map[int]int{}, removing: map[int]bool{}, seen: map[string]int{}, next: 100}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *stand) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.instead != nil && s.instead(w, r) {
		return
	}
	s.mu.Lock()
	s.seen[r.Header.Get("Authorization")]++
	status, body := s.serve(r)
	s.mu.Unlock()
	if r.Method != http.MethodGet && s.after != nil && s.after(w, r) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (s *stand) serve(r *http.Request) (int, any) {
	id, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/workloads/"))
	switch {
	case r.Method == http.MethodPost:
		return s.create(r)
	case id == 0:
		return http.StatusOK, s.list(r.URL.Query().Get("name"))
	case s.names[id] == "":
		return http.StatusNotFound, map[string]any{"detail": "Not found."}
	case r.Method == http.MethodDelete:
		s.deletes++
		s.removing[id], s.pending[id] = true, s.looks
		return http.StatusAccepted, map[string]any{"state": "pending"}
	}
	s.gets++
	if s.pending[id] > 0 {
		s.pending[id]--
		return http.StatusOK, map[string]any{"state": "pending", "data": s.workload(id)}
	}
	if s.removing[id] {
		delete(s.names, id)
		return http.StatusNotFound, map[string]any{"detail": "Not found."}
	}
	return http.StatusOK, map[string]any{"state": "executed", "data": s.workload(id)}
}

func (s *stand) create(r *http.Request) (int, any) {
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return http.StatusBadRequest, map[string]any{"detail": err.Error()}
	}
	s.posts++
	s.next++
	s.last = body
	s.names[s.next], s.pending[s.next] = fmt.Sprint(body["name"]), s.looks
	if s.looks == 0 {
		return http.StatusCreated, map[string]any{"state": "executed", "data": s.workload(s.next)}
	}
	return http.StatusAccepted, map[string]any{"state": "pending", "data": s.workload(s.next)}
}

func (s *stand) workload(id int) map[string]any {
	return map[string]any{"id": id, "name": s.names[id]}
}

func (s *stand) list(name string) map[string]any {
	results := []any{}
	for id, n := range s.names {
		if name == "" || n == name {
			results = append(results, s.workload(id))
		}
	}
	return map[string]any{"count": len(results), "results": results}
}

func (s *stand) count(read func(*stand) int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return read(s)
}

func (s *stand) named(name string) int {
	return s.count(func(s *stand) int {
		n := 0
		for _, have := range s.names {
			if have == name {
				n++
			}
		}
		return n
	})
}

// standTools are the tools of the stand.
func standTools() toolbox {
	id := []catalog.Param{{Arg: "workload_id", Name: "workload_id", In: catalog.Path, Required: true}}
	auth := catalog.Auth{In: catalog.Header, Name: "Authorization"}
	accepts := "application/json"
	tools := []*catalog.Tool{
		{
			Name: "create_workload", Area: "build", Effect: catalog.Write, Creates: true,
			Root: "workload", RootField: "id", Secrets: []string{"token"},
			Find:      &catalog.Find{List: "list_workloads", By: []catalog.Match{{Arg: "name", Field: "name"}}},
			Operation: &catalog.Operation{Probe: "retrieve_workload"}, Retrieve: "retrieve_workload",
			Binding: &catalog.Binding{Method: "POST", Path: "/workloads", Accepts: accepts, Auth: auth,
				Body: &catalog.Body{MediaType: accepts, Required: true, Fields: []string{"name", "token"}}},
		},
		{
			Name: "list_workloads", Area: "build", Effect: catalog.Read, RootField: "id",
			List: &catalog.List{Key: "results", TotalKey: "count", PageArg: "page", SizeArg: "page_size", MaxSize: 100},
			Binding: &catalog.Binding{Method: "GET", Path: "/workloads", Accepts: accepts, Auth: auth, Params: []catalog.Param{
				{Arg: "name", Name: "name", In: catalog.Query, Style: "form", Explode: true},
			}},
		},
		{
			Name: "retrieve_workload", Area: "build", Effect: catalog.Read, Idempotent: true, Root: "workload", RootArg: "workload_id",
			Binding: &catalog.Binding{Method: "GET", Path: "/workloads/{workload_id}", Accepts: accepts, Auth: auth, Params: id},
		},
		{
			Name: "delete_workload", Area: "build", Effect: catalog.Destructive, Idempotent: true, Root: "workload", RootArg: "workload_id",
			Operation: &catalog.Operation{Probe: "retrieve_workload"}, Retrieve: "retrieve_workload",
			Binding: &catalog.Binding{Method: "DELETE", Path: "/workloads/{workload_id}", Accepts: accepts, Auth: auth, Params: slices.Clone(id)},
		},
	}
	order := []catalog.Param{{Arg: "order_id", Name: "order_id", In: catalog.Path, Required: true}}
	tools = append(tools,
		&catalog.Tool{
			Name: "order_certificate", Area: "build", Effect: catalog.Write, Creates: true, RootField: "id",
			Operation: &catalog.Operation{Probe: "retrieve_order", Until: &catalog.Until{Field: "data.status", OK: []string{"active"}, Failed: []string{"failed"}}},
			Binding: &catalog.Binding{Method: "POST", Path: "/orders", Accepts: accepts, Auth: auth,
				Body: &catalog.Body{MediaType: accepts, Required: true, Fields: []string{"name"}}},
		},
		&catalog.Tool{
			Name: "retrieve_order", Area: "build", Effect: catalog.Read, Idempotent: true,
			Binding: &catalog.Binding{Method: "GET", Path: "/orders/{order_id}", Accepts: accepts, Auth: auth, Params: order},
		},
		&catalog.Tool{
			Name: "store_file", Area: "build", Effect: catalog.Write, Creates: true,
			Find:      &catalog.Find{List: "list_files", By: []catalog.Match{{Arg: "file_key", Field: "key"}}, Filter: "prefix"},
			Operation: &catalog.Operation{Probe: "list_files"},
			Binding: &catalog.Binding{Method: "POST", Path: "/files/{file_key}", Accepts: accepts, Auth: auth,
				Params: []catalog.Param{{Arg: "file_key", Name: "file_key", In: catalog.Path, Required: true}},
				Body:   &catalog.Body{MediaType: "application/octet-stream", Required: true, Whole: "body", Bytes: true}},
		},
		&catalog.Tool{
			Name: "list_files", Area: "build", Effect: catalog.Read,
			List: &catalog.List{Key: "results", SizeArg: "max", MaxSize: 100},
			Binding: &catalog.Binding{Method: "GET", Path: "/files", Accepts: accepts, Auth: auth, Params: []catalog.Param{
				{Arg: "prefix", Name: "prefix", In: catalog.Query, Style: "form", Explode: true},
			}},
		},
	)
	box := toolbox{}
	for _, tool := range tools {
		box[tool.Name] = tool
	}
	return box
}
