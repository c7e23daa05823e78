package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/agent"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// comporta serves one tool that gives the answers in turn, the last one for ever.
func comporta(t *testing.T, o agent.Options, answers ...string) (*agent.Manager, *atomic.Int64) {
	t.Helper()
	calls := new(atomic.Int64)
	s := mcp.NewServer(&mcp.Implementation{Name: "area", Version: "1"}, nil)
	answer := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		text := answers[min(int(calls.Add(1)), len(answers))-1]
		var failed struct {
			Error any `json:"error"`
		}
		_ = json.Unmarshal([]byte(text), &failed)
		return &mcp.CallToolResult{
			IsError: failed.Error == true, StructuredContent: json.RawMessage(text), Content: []mcp.Content{&mcp.TextContent{Text: text}},
		}, nil
	}
	schema := json.RawMessage(`{"type":"object"}`)
	s.AddTool(&mcp.Tool{Name: "do", InputSchema: schema}, answer)
	s.AddTool(&mcp.Tool{Name: "ver_operacion", InputSchema: schema}, answer)
	m := manager(t, o)
	if err := m.Connect(t.Context(), agent.Servers{"area": {Transport: agent.HTTP{URL: serve(t, streamableOf(t, s, nil))}}}); err != nil {
		t.Fatal(err)
	}
	return m, calls
}

const (
	busy    = `{"error":true,"code":"limite_excedido","que_paso":"Too many calls.","que_hacer":"Wait.","reintentable":true,"reintentar_en_segundos":1,"detalle":{"limite":"calls","status":429}}`
	broken  = `{"error":true,"code":"interno","que_paso":"A fault.","que_hacer":"Report it.","reintentable":true,"reintentar_en_segundos":1,"detalle":{},"correlacion_id":"c1"}`
	unknown = `{"error":true,"code":"estado_invalido","que_paso":"No answer.","que_hacer":"Look.","reintentable":false,"detalle":{"motivo":"resultado_desconocido"}}`
	good    = `{"id":9007199254740993}`
)

func TestComportaErrorsAreValues(t *testing.T) {
	m, _ := comporta(t, quick(), busy)
	_, err := m.Call(t.Context(), "mcp__area__do", nil)
	e, ok := errors.AsType[*agent.ToolError](err)
	if !ok {
		t.Fatalf("error %v", err)
	}
	if e.Code != agent.LimitExceeded || !e.Retryable() || e.After() != time.Second || e.Advice != "Wait." || e.Text != busy {
		t.Errorf("%+v, retryable %t after %s", e, e.Retryable(), e.After())
	}
	if got := agent.Answer(nil, err); got != busy {
		t.Errorf("the model is told %q", got)
	}
}

func TestRetryObeysTheServer(t *testing.T) {
	for name, c := range map[string]struct {
		answers []string
		retry   *agent.Retry
		calls   int64
		fails   agent.Code
	}{
		"without a policy nothing is repeated":              {[]string{busy, good}, nil, 1, agent.LimitExceeded},
		"what may be repeated is, and then works":           {[]string{busy, good}, &agent.Retry{}, 2, ""},
		"an internal error is repeated once":                {[]string{broken}, &agent.Retry{}, 2, agent.Internal},
		"an unknown effect is never repeated":               {[]string{unknown, good}, &agent.Retry{}, 1, agent.InvalidState},
		"not more often than the policy says":               {[]string{busy}, &agent.Retry{Tries: 1}, 2, agent.LimitExceeded},
		"a longer wait than the policy's is left to others": {[]string{busy, good}, &agent.Retry{MaxWait: time.Millisecond}, 1, agent.LimitExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := quick()
			o.Retry = c.retry
			m, calls := comporta(t, o, c.answers...)
			r, err := m.Call(t.Context(), "mcp__area__do", nil)
			e, _ := errors.AsType[*agent.ToolError](err)
			if (err == nil) != (c.fails == "") || e != nil && e.Code != c.fails {
				t.Errorf("answer %v, error %v", r, err)
			}
			if n := calls.Load(); n != c.calls {
				t.Errorf("%d calls, want %d", n, c.calls)
			}
		})
	}
}

func TestIntegersKeepEveryDigit(t *testing.T) {
	m, _ := comporta(t, quick(), good)
	r, err := m.Call(t.Context(), "mcp__area__do", nil)
	if err != nil {
		t.Fatal(err)
	}
	var out struct{ ID json.Number }
	if err := r.Decode(&out); err != nil || out.ID != "9007199254740993" {
		t.Errorf("id %s, error %v, from %s", out.ID, err, r.Structured)
	}
}

func TestAnOperationIsFollowedToItsEnd(t *testing.T) {
	const running = `{"operacion_id":"01J","herramienta":"do","area":"area","estado":"en_curso","fase":"ejecutando","progreso":{"hecho":1,"total":2,"paso":"x"},"reintentar_en_segundos":1,"aprobar_en":null,"resultado":null,"error":null}`
	const done = `{"operacion_id":"01J","herramienta":"do","area":"area","estado":"ok","fase":"terminada","progreso":null,"resultado":{"id":1},"error":null}`
	const failed = `{"operacion_id":"01J","herramienta":"do","area":"area","estado":"error","fase":"terminada","resultado":null,"error":` + unknown + `}`
	for name, c := range map[string]struct {
		last   string
		result string
		reason string
	}{
		"one that works gives its result":                 {done, `{"id":1}`, ""},
		"one that fails gives its error as a Go value":    {failed, "null", "resultado_desconocido"},
		"each state is told to whoever wants to see them": {done, `{"id":1}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := comporta(t, quick(), running, running, c.last)
			r, err := m.Call(t.Context(), "mcp__area__do", nil)
			if err != nil {
				t.Fatal(err)
			}
			begun, ok := r.Operation()
			if !ok || begun.ID != "01J" {
				t.Fatalf("operation %+v %t", begun, ok)
			}
			var seen []string
			op, err := m.WaitOperation(t.Context(), "area", begun.ID, func(o agent.Operation) { seen = append(seen, o.Phase) })
			if string(op.Result) != c.result || len(seen) != 2 {
				t.Errorf("operation %+v, seen %v", op, seen)
			}
			e, _ := errors.AsType[*agent.ToolError](err)
			if (e == nil) != (c.reason == "") || e != nil && e.Reason() != c.reason {
				t.Errorf("error %v", err)
			}
		})
	}
}
