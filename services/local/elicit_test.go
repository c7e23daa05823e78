package local

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// withHeader adds one header ("Name: value") to each request.
type withHeader string

func (h withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	name, value, _ := strings.Cut(string(h), ": ")
	r = r.Clone(r.Context())
	r.Header.Set(name, value)
	return http.DefaultTransport.RoundTrip(r)
}

// modern is a client of 2026-07-28 that shows pages to its person.
func (e *everything) modern(header string, person func(page string) string) *mcp.ClientSession {
	e.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "modern", Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: person(r.Params.URL)}, nil
		},
	})
	session, err := client.Connect(e.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: e.ready.Areas["build"], HTTPClient: &http.Client{Transport: withHeader(header)},
	}, nil)
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { _ = session.Close() })
	return session
}

func called(t *testing.T, s *mcp.ClientSession, tool string, args map[string]any) map[string]any {
	t.Helper()
	got, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	object, ok := got.StructuredContent.(map[string]any)
	if !ok {
		t.Fatalf("%s answered %v", tool, got.StructuredContent)
	}
	return object
}

func TestAClientShowsThePageOfAnApprovalItself(t *testing.T) {
	e := launch(t, fresh(t), hurried)
	member := e.visitor()
	agent := member.connect(e, "escrituras")
	var shown []string
	decide := func(decision string) func(string) string {
		return func(page string) string {
			u, err := url.Parse(page)
			if err != nil {
				t.Error(err)
				return "cancel"
			}
			shown = append(shown, u.Path)
			member.decide(&asked{e: e, path: u.Path}, decision, "")
			return "accept"
		}
	}

	t.Run("what is approved on the way is done, and the retry is the same operation", func(t *testing.T) {
		shown = nil
		id := e.app("elicited")
		session := e.modern(agent, decide("do"))
		if v := session.InitializeResult().ProtocolVersion; v != "2026-07-28" {
			t.Fatalf("the client speaks %s", v)
		}
		got := called(t, session, "partial_update_application", map[string]any{"application_id": id, "name": "renamed"})
		if len(shown) != 1 || !strings.HasSuffix(shown[0], got["operacion_id"].(string)) {
			t.Fatalf("shown %v, answered %v", shown, got)
		}
		a := &asked{e: e, agent: agent, path: shown[0], id: got["operacion_id"]}
		if op := a.ended(); op["estado"] != "ok" || e.nameOf(id) != "renamed" {
			t.Errorf("it ended as %v", op)
		}
	})

	t.Run("a client that declines cancels, and accepting approves nothing", func(t *testing.T) {
		id := e.app("kept")
		for action, phase := range map[string]string{"decline": "cancelada", "accept": "esperando_aprobacion", "cancel": "esperando_aprobacion"} {
			got := called(t, e.modern(agent, func(string) string { return action }), "partial_update_application",
				map[string]any{"application_id": id, "name": "renamed-" + action})
			if got["fase"] != phase || e.nameOf(id) != "kept" {
				t.Errorf("%s: %v", action, got)
			}
		}
	})

	t.Run("a state is good once, for its own call", func(t *testing.T) {
		id := e.app("stateful")
		call := func(name string, more map[string]any) map[string]any {
			params := map[string]any{
				"name": "partial_update_application", "arguments": map[string]any{"application_id": id, "name": name},
				"_meta": map[string]any{
					"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
					"io.modelcontextprotocol/clientCapabilities": map[string]any{"elicitation": map[string]any{"url": map[string]any{}}},
				},
			}
			for key, value := range more {
				params[key] = value
			}
			return e.raw(agent, params)
		}
		first := call("once", nil)
		request, _ := first["inputRequests"].(map[string]any)["aprobacion"].(map[string]any)
		state, _ := first["requestState"].(string)
		if first["resultType"] != "input_required" || request["method"] != "elicitation/create" || state == "" || first["content"] != nil {
			t.Fatalf("the call is answered with %v", first)
		}
		page := request["params"].(map[string]any)
		if page["mode"] != "url" || !strings.Contains(page["url"].(string), "/approve/") || strings.Contains(page["url"].(string), "once") {
			t.Errorf("it asks for %v", page)
		}
		refused := func(name, state string) {
			t.Helper()
			got := call(name, map[string]any{"requestState": state, "inputResponses": map[string]any{"aprobacion": map[string]any{"action": "accept"}}})
			if failure, _ := got["structuredContent"].(map[string]any); failure["code"] != "parametro_invalido" {
				t.Errorf("it is answered with %v", got)
			}
		}
		refused("other", state)
		refused("once", state[:40]+"AAAA"+state[44:])
		got := call("once", map[string]any{"requestState": state})["structuredContent"].(map[string]any)
		if got["fase"] != "esperando_aprobacion" || !strings.HasSuffix(page["url"].(string), got["operacion_id"].(string)) {
			t.Errorf("the retry is answered with %v", got)
		}
		refused("once", state)
		again := call("once", nil)
		if request := again["inputRequests"].(map[string]any)["aprobacion"].(map[string]any); request["params"].(map[string]any)["url"] != page["url"] {
			t.Errorf("the call once more asks for %v", again)
		}
	})

	t.Run("a client that shows no pages gets the operation", func(t *testing.T) {
		id := e.app("plain")
		got := e.ask(agent, "partial_update_application", map[string]any{"application_id": id, "name": "x"})
		got.waits()
	})
}

// raw sends a tools/call of 2026-07-28 as it is given and gives its result.
func (e *everything) raw(header string, params map[string]any) map[string]any {
	e.t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
	if err != nil {
		e.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(e.t.Context(), http.MethodPost, e.ready.Areas["build"], strings.NewReader(string(body)))
	if err != nil {
		e.t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": params["name"].(string),
	} {
		request.Header.Set(name, value)
	}
	response, err := (&http.Client{Transport: withHeader(header)}).Do(request)
	if err != nil {
		e.t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct{ Result, Error map[string]any }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || answer.Result == nil {
		e.t.Fatalf("answered %d: %v %v", response.StatusCode, answer.Error, err)
	}
	return answer.Result
}
