package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// house is an area and a sandbox that do as a case says.
type house struct {
	mu      sync.Mutex
	asked   map[string]int // by tool
	down    map[string]int // how many of the first calls of a tool get no answer
	effects int            // of each operation
	state   string         // in which operations end
	names   []string
}

func (h *house) serve(t *testing.T) options {
	t.Helper()
	h.asked = map[string]int{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_sandbox/people", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"people": [{"name": "member", "token": "t"}]}`)
	})
	mux.HandleFunc("GET /_sandbox/effects", func(w http.ResponseWriter, _ *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		var all []string
		for _, name := range h.names {
			all = append(all, fmt.Sprintf(`{"name": %q, "count": %d}`, name, h.effects))
		}
		_, _ = fmt.Fprintf(w, `{"effects": [%s]}`, strings.Join(all, ","))
	})
	mux.HandleFunc("POST /mcp", h.call)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return options{area: server.URL, sandbox: server.URL, people: []string{"member"}, rounds: 2, after: time.Minute}
}

func (h *house) call(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Params struct {
			Name      string
			Arguments struct{ Name string }
		}
	}
	_ = json.NewDecoder(r.Body).Decode(&asked)
	h.mu.Lock()
	defer h.mu.Unlock()
	tool := asked.Params.Name
	if h.asked[tool]++; h.asked[tool] <= h.down[tool] {
		http.Error(w, "nobody is here", http.StatusServiceUnavailable)
		return
	}
	if tool == "create_workload" {
		h.names = append(h.names, asked.Params.Arguments.Name)
	}
	_, _ = fmt.Fprintf(w, `{"result": {"structuredContent": {"operacion_id": "op", "estado": %q}}}`, h.state)
}

func TestWhatAgentsSeeIsTold(t *testing.T) {
	tests := []struct {
		name  string
		house *house
		told  string
		fault string // "": none
	}{
		{"all is well", &house{effects: 1, state: "ok"}, "8 calls, 0 repeated, 0 failed twice; 2 operations, 2 ended ok", ""},
		{"a call without an answer is repeated once", &house{effects: 1, state: "ok", down: map[string]int{"create_workload": 1}}, "8 calls, 1 repeated, 0 failed twice; 2 operations, 2 ended ok", ""},
		{"a call that fails twice is a fault", &house{effects: 1, state: "ok", down: map[string]int{"list_applications": 2}}, "1 failed twice; 1 operations", "list_applications failed twice: 503"},
		{"an operation that cannot be asked for is lost", &house{effects: 1, state: "ok", down: map[string]int{"ver_operacion": 2}}, "1 ended ok", "is lost"},
		{"an operation that failed is a fault", &house{effects: 1, state: "fallida"}, "0 ended ok", "ended in fallida"},
		{"an operation without its effect is a fault", &house{effects: 0, state: "ok"}, "2 ended ok", "took effect 0 times"},
		{"an effect that came twice is a fault", &house{effects: 2, state: "ok"}, "2 ended ok", "took effect 2 times"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // a repeat waits for a second
			told, err := work(t.Context(), test.house.serve(t))
			if !strings.Contains(told.String(), test.told) {
				t.Errorf("it tells %q; want %q", told, test.told)
			}
			if test.fault == "" && err != nil || test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)) {
				t.Errorf("its fault is %v; want %q", err, test.fault)
			}
		})
	}
}

func TestSomebodyWhomTheSandboxDoesNotKnowCannotWork(t *testing.T) {
	var h house
	o := h.serve(t)
	o.people = []string{"stranger"}
	if _, err := work(t.Context(), o); err == nil || !strings.Contains(err.Error(), "knows no stranger") {
		t.Errorf("it is answered with %v", err)
	}
}
