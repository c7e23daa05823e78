package operation

import (
	"bytes"
	"encoding/json"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// Words of contract §6.
var (
	stateWords = map[operationv1.State]string{
		operationv1.State_STATE_RUNNING: "en_curso",
		operationv1.State_STATE_OK:      "ok",
		operationv1.State_STATE_ERROR:   "error",
	}
	phaseWords = map[operationv1.Phase]string{
		operationv1.Phase_PHASE_QUEUED:            "en_cola",
		operationv1.Phase_PHASE_AWAITING_APPROVAL: "esperando_aprobacion",
		operationv1.Phase_PHASE_EXECUTING:         "ejecutando",
		operationv1.Phase_PHASE_VERIFYING:         "verificando",
		operationv1.Phase_PHASE_DONE:              "terminada",
		operationv1.Phase_PHASE_CANCELLED:         "cancelada",
	}
)

// StateWord is the state as the contract spells it.
func StateWord(s operationv1.State) string { return stateWords[s] }

// PhaseWord is the phase as the contract spells it.
func PhaseWord(p operationv1.Phase) string { return phaseWords[p] }

// View is the operation as ver_operacion answers it now.
func View(op *operationv1.Operation) map[string]any { return ViewAt(op, time.Now()) }

// ViewAt is View at a given moment: always the same keys, null where nothing applies.
func ViewAt(op *operationv1.Operation, now time.Time) map[string]any {
	return map[string]any{
		"operacion_id":           op.GetId(),
		"herramienta":            op.GetTool(),
		"area":                   op.GetArea(),
		"estado":                 StateWord(op.GetState()),
		"fase":                   PhaseWord(op.GetPhase()),
		"progreso":               progress(op.GetProgress()),
		"creada_en":              moment(op.GetCreatedAt()),
		"actualizada_en":         moment(op.GetUpdatedAt()),
		"reintentar_en_segundos": askAgain(op, now),
		"aprobar_en":             orNull(op.GetApproveUrl()),
		"resultado":              decoded(op.GetResult()),
		"error":                  recallSentences(decoded(op.GetError())),
	}
}

// askAgain is when to ask next, in seconds: soon after the start, when most
// operations end, then less and less often.
func askAgain(op *operationv1.Operation, now time.Time) any {
	if Ended(op) {
		return nil
	}
	age := now.Sub(op.GetCreatedAt().AsTime())
	switch {
	case op.GetPhase() == operationv1.Phase_PHASE_AWAITING_APPROVAL:
		return 5 // a person is not faster
	case age < 5*time.Second:
		return 1
	case age < 30*time.Second:
		return 2
	default:
		return 5
	}
}

func progress(p *operationv1.Progress) any {
	if p == nil {
		return nil
	}
	return map[string]any{"hecho": p.GetDone(), "total": p.GetTotal(), "paso": p.GetStep()}
}

func moment(t *timestamppb.Timestamp) any {
	if t == nil {
		return nil
	}
	return t.AsTime().UTC().Format(time.RFC3339)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// decoded keeps every digit: numbers are json.Number.
func decoded(data []byte) any {
	if len(data) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil
	}
	return value
}
