package agent_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/agent"
)

// liar answers each method with a result that no honest server gives.
func liar(t *testing.T, result func(method string) string) agent.Servers {
	t.Helper()
	return agent.Servers{"s": {Transport: agent.HTTP{URL: serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		switch {
		case r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&req) != nil:
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		case req.ID == nil:
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := `"result":` + result(req.Method)
		switch req.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"liar","version":"1"}}`
		case "server/discover":
			answer = `"error":{"code":-32601,"message":"no such method"}`
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, req.ID, answer)
	}))}}}
}

func TestEveryInputSchemaIsAnObjects(t *testing.T) {
	for name, schema := range map[string]string{
		"of a text": `{"type":"string"}`, "a list": `[]`, "true": `true`, "null": `null`, "empty": `{}`,
		"without a type": `{"properties":{"a":{}}}`, "null properties": `{"type":"object","properties":null}`,
		"two types": `{"type":["object","null"],"properties":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			m := manager(t, quick())
			if err := m.Connect(t.Context(), liar(t, func(string) string { return `{"tools":[{"name":"a","inputSchema":` + schema + `},null]}` })); err != nil {
				t.Fatal(err)
			}
			var got struct {
				Type       string
				Properties map[string]any
			}
			if tools := m.Tools(); len(tools) != 1 || json.Unmarshal(tools[0].InputSchema, &got) != nil || got.Type != "object" || got.Properties == nil {
				t.Errorf("tools %+v", tools)
			}
		})
	}
}

func TestNothingInAListIsNothing(t *testing.T) {
	m := manager(t, quick())
	err := m.Connect(t.Context(), liar(t, func(method string) string {
		return map[string]string{"tools/list": `{"tools":[null]}`, "resources/list": `{"resources":[null]}`, "resources/read": `{"contents":[null]}`}[method]
	}))
	if err != nil {
		t.Fatal(err)
	}
	if all, err := m.Resources(t.Context()); len(all) != 0 || err != nil {
		t.Errorf("resources %v, %v", all, err)
	}
	if all, err := m.Read(t.Context(), "s", "x"); len(all) != 0 || err != nil {
		t.Errorf("contents %v, %v", all, err)
	}
}

// TestEmptyPagesWithoutEndEnd: each page names another one.
func TestEmptyPagesWithoutEndEnd(t *testing.T) {
	var asked atomic.Int64
	m := manager(t, quick())
	if err := m.Connect(t.Context(), liar(t, func(string) string {
		return `{"tools":[],"nextCursor":"` + strconv.FormatInt(asked.Add(1), 10) + `"}`
	})); err != nil || asked.Load() > 1100 {
		t.Errorf("%d pages, %v", asked.Load(), err)
	}
}
