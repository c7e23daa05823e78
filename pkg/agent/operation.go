package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Operation is long-running work of a Comporta server (contract §6).
type Operation struct {
	ID         string          `json:"operacion_id"`
	Tool       string          `json:"herramienta"`
	Area       string          `json:"area"`
	State      OperationState  `json:"estado"`
	Phase      string          `json:"fase"`
	Progress   *OperationSteps `json:"progreso"`
	After      int             `json:"reintentar_en_segundos"` // when to look again
	ApproveAt  string          `json:"aprobar_en"`             // the page where a person must agree; empty: none
	Result     json.RawMessage `json:"resultado"`
	Error      json.RawMessage `json:"error"`
	CreatedAt  time.Time       `json:"creada_en"`
	ModifiedAt time.Time       `json:"actualizada_en"`
}

// OperationState is how an operation stands.
type OperationState string

// States of an operation.
const (
	Running   OperationState = "en_curso"
	Succeeded OperationState = "ok"
	Ended     OperationState = "error"
)

// OperationSteps is how far it is.
type OperationSteps struct {
	Done  int    `json:"hecho"`
	Total int    `json:"total"`
	Step  string `json:"paso"`
}

// Operation is the operation that an answer tells of. ok is false where the tool
// had done its work when it answered.
func (r *Result) Operation() (op Operation, ok bool) {
	err := r.Decode(&op)
	return op, err == nil && op.ID != "" && op.State != ""
}

// WaitOperation follows an operation to its end, asking as seldom as the server
// wants, and tells each state it sees to seen, which may be nil. An operation that
// ended in an error gives it as a [*ToolError], and the operation with it.
//
// It waits for a person, too: while Phase is "esperando_aprobacion", show ApproveAt.
func (m *Manager) WaitOperation(ctx context.Context, server, id string, seen func(Operation)) (Operation, error) {
	tool := prefix + server + separator + "ver_operacion"
	for {
		result, err := m.Call(ctx, tool, map[string]any{"operacion_id": id})
		if err != nil {
			return Operation{}, err
		}
		op, ok := result.Operation()
		if !ok {
			return Operation{}, fmt.Errorf("%s: the answer is no operation", tool)
		}
		if seen != nil {
			seen(op)
		}
		switch op.State {
		case Succeeded:
			return op, nil
		case Ended:
			return op, op.fault()
		}
		wait := max(time.Duration(op.After)*time.Second, time.Second)
		if !sleep(ctx, wait) {
			return op, context.Cause(ctx)
		}
	}
}

// fault is the error in which the operation ended.
func (o Operation) fault() *ToolError {
	e := &ToolError{Tool: o.Tool, Text: string(o.Error)}
	var w wireError
	if json.Unmarshal(o.Error, &w) == nil && w.Code != "" {
		e.tell(w)
	}
	return e
}
