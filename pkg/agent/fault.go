package agent

import (
	"encoding/json"
	"fmt"
	"time"
)

// Code is the kind of a Comporta error (contract §5).
type Code string

// Codes.
const (
	NotFound         Code = "no_encontrado"
	NotAllowed       Code = "sin_permiso"
	InvalidParameter Code = "parametro_invalido"
	Conflict         Code = "conflicto"
	InvalidState     Code = "estado_invalido"
	LimitExceeded    Code = "limite_excedido"
	Internal         Code = "interno"
)

// ToolError is a tool's own word that it failed.
type ToolError struct {
	Tool string
	Text string // for the model: everything the server said

	// Comporta's servers also say these; empty with others.
	Code          Code
	Problem       string // what happened
	Advice        string // what to do
	Detail        json.RawMessage
	CorrelationID string // of an Internal error, to report

	retryable bool
	after     time.Duration
}

// Error is one line. The whole is in Text.
func (e *ToolError) Error() string {
	if e.Code != "" {
		return fmt.Sprintf("%s: %s (%s)", e.Tool, e.Problem, e.Code)
	}
	text := []rune(e.Text)
	if len(text) > 300 {
		return fmt.Sprintf("%s: %s…", e.Tool, string(text[:300]))
	}
	return fmt.Sprintf("%s: %s", e.Tool, e.Text)
}

// Retryable reports whether the same call, unchanged, may work.
func (e *ToolError) Retryable() bool { return e.retryable }

// After is how long to wait before that; zero where the server does not say.
func (e *ToolError) After() time.Duration { return e.after }

// Reason is detail.motivo: the finer kind of some errors, such as
// "resultado_desconocido", where the call may have taken effect.
func (e *ToolError) Reason() string {
	var d struct {
		Reason string `json:"motivo"`
	}
	_ = json.Unmarshal(e.Detail, &d) // no detail, no reason
	return d.Reason
}

// wireError is contract §5's error, as it is sent.
type wireError struct {
	Error         bool            `json:"error"`
	Code          Code            `json:"code"`
	Problem       string          `json:"que_paso"`
	Advice        string          `json:"que_hacer"`
	Retryable     bool            `json:"reintentable"`
	AfterSeconds  int             `json:"reintentar_en_segundos"`
	Detail        json.RawMessage `json:"detalle"`
	CorrelationID string          `json:"correlacion_id"`
}

func newToolError(tool string, r *Result) *ToolError {
	e := &ToolError{Tool: tool, Text: r.Text()}
	var w wireError
	if r.Decode(&w) == nil && w.Error && w.Code != "" {
		e.tell(w)
	}
	return e
}

func (e *ToolError) tell(w wireError) {
	e.Code, e.Problem, e.Advice, e.Detail, e.CorrelationID = w.Code, w.Problem, w.Advice, w.Detail, w.CorrelationID
	e.retryable, e.after = w.Retryable, time.Duration(w.AfterSeconds)*time.Second
}
