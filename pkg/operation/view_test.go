package operation_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/comporta-mcp/comporta/pkg/operation"
	"github.com/comporta-mcp/comporta/pkg/problem"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

func TestAViewAlwaysHasTheSameKeys(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	op := func(change func(*operationv1.Operation)) *operationv1.Operation {
		op := &operationv1.Operation{
			Id: "01J9ZZZZZZZZZZZZZZZZZZZZZZ", Tool: "create_workload", Area: "build", CallId: "c",
			State: operationv1.State_STATE_RUNNING, Phase: operationv1.Phase_PHASE_QUEUED,
			CreatedAt: timestamppb.New(began), UpdatedAt: timestamppb.New(began.Add(time.Second)),
		}
		change(op)
		return op
	}
	base := func(change map[string]any) map[string]any {
		view := map[string]any{
			"operacion_id": "01J9ZZZZZZZZZZZZZZZZZZZZZZ", "herramienta": "create_workload", "area": "build",
			"estado": "en_curso", "fase": "en_cola", "progreso": nil,
			"creada_en": "2026-01-02T03:04:05Z", "actualizada_en": "2026-01-02T03:04:06Z",
			"reintentar_en_segundos": 1, "aprobar_en": nil, "resultado": nil, "error": nil,
		}
		for key, value := range change {
			view[key] = value
		}
		return view
	}
	for name, c := range map[string]struct {
		op   *operationv1.Operation
		age  time.Duration
		want map[string]any
	}{
		"queued": {op(func(*operationv1.Operation) {}), time.Second, base(nil)},
		"executing for a while": {op(func(op *operationv1.Operation) {
			op.Phase = operationv1.Phase_PHASE_EXECUTING
			op.Progress = &operationv1.Progress{Done: 1, Total: 2, Step: "sending"}
		}), 10 * time.Second, base(map[string]any{
			"fase": "ejecutando", "reintentar_en_segundos": 2,
			"progreso": map[string]any{"hecho": int64(1), "total": int64(2), "paso": "sending"},
		})},
		"verifying for long": {op(func(op *operationv1.Operation) { op.Phase = operationv1.Phase_PHASE_VERIFYING }),
			time.Hour, base(map[string]any{"fase": "verificando", "reintentar_en_segundos": 5})},
		"waiting for a person": {op(func(op *operationv1.Operation) {
			op.Phase, op.ApproveUrl = operationv1.Phase_PHASE_AWAITING_APPROVAL, "https://a/1"
		}), time.Second, base(map[string]any{"fase": "esperando_aprobacion", "aprobar_en": "https://a/1", "reintentar_en_segundos": 5})},
		"ended well": {op(func(op *operationv1.Operation) {
			if err := operation.Succeed(op, map[string]any{"id": json.Number("9007199254740993")}); err != nil {
				t.Error(err)
			}
		}), time.Hour, base(map[string]any{
			"estado": "ok", "fase": "terminada", "reintentar_en_segundos": nil,
			"resultado": map[string]any{"id": json.Number("9007199254740993")},
		})},
		"ended in an error": {op(func(op *operationv1.Operation) {
			operation.Fail(op, problem.New(problem.Conflicto, "The name %q is taken.", "w").ToDo("Choose another."))
		}), time.Hour, base(map[string]any{
			"estado": "error", "fase": "terminada", "reintentar_en_segundos": nil,
			"error": map[string]any{
				"error": true, "code": "conflicto", "que_paso": problem.Sentence{Format: "The name %q is taken.", Args: []any{"w"}}, "que_hacer": problem.Sentence{Format: "Choose another."},
				"reintentable": false, "detalle": map[string]any{},
			},
		})},
	} {
		t.Run(name, func(t *testing.T) {
			got := operation.ViewAt(c.op, began.Add(c.age))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnEndedOperationHoldsNoCredentialAndNoLease(t *testing.T) {
	op := &operationv1.Operation{
		Sealed: []byte("s"), Lease: &operationv1.Lease{Holder: "w"}, CallId: "01CALL",
		Step: &operationv1.Step{State: operationv1.Step_STATE_ANSWERED, Answer: []byte("{}")},
	}
	operation.Fail(op, problem.As(errors.New("boom")))
	if op.Sealed != nil || op.Lease != nil || op.Step.Answer != nil {
		t.Errorf("left behind: %v", op)
	}
	if !strings.Contains(string(op.GetError()), `"correlacion_id":"01CALL"`) {
		t.Errorf("error = %s, want the call's id", op.GetError())
	}
}

func TestAResultThatIsTooLargeIsNamedNotLost(t *testing.T) {
	op := &operationv1.Operation{Arguments: make([]byte, operation.MaxArguments)}
	if err := operation.Succeed(op, map[string]any{"text": strings.Repeat("x", 1<<20)}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(op.GetResult()), "respuesta_omitida") {
		t.Errorf("result = %.80s", op.GetResult())
	}
	if err := operation.Succeed(op, map[string]any{"text": strings.Repeat("x", 200<<10)}); err != nil {
		t.Fatal(err)
	}
	if len(op.GetResult()) < 200<<10 || op.GetArguments() != nil {
		t.Error("a result that fits must be kept, and the arguments make room for it")
	}
}

func FuzzKeyNeverReachesAnotherLink(f *testing.F) {
	f.Add("pt_0123456789abcdef", "01J9ZZZZZZZZZZZZZZZZZZZZZZ")
	f.Add("*", ">")
	f.Add("a.b", "01J9ZZZZZZZZZZZZZZZZZZZZZZ")
	f.Fuzz(func(t *testing.T, link, id string) {
		key, ok := operation.Key(link, id)
		if !ok {
			return
		}
		if !strings.HasPrefix(key, link+".") || strings.Count(key, ".") != 1 || strings.ContainsAny(key, "*> \t\n") {
			t.Errorf("Key(%q, %q) = %q", link, id, key)
		}
		if again, ok := operation.MessageKey([]byte(key)); !ok || again != key {
			t.Errorf("MessageKey(%q) = %q, %v", key, again, ok)
		}
	})
}
