// Package problem owns the one error form that callers see (contract §5).
//
// A Problem tells two people two things: its sentences are for the caller, its
// wrapped cause is for the log. Sentences are kept as a format and arguments,
// so that the edge can say them in the caller's language.
package problem

import (
	"errors"
	"fmt"
	"time"
)

// Code is what went wrong, as contract §5 spells it.
type Code string

const (
	NoEncontrado      Code = "no_encontrado"
	SinPermiso        Code = "sin_permiso"
	ParametroInvalido Code = "parametro_invalido"
	Conflicto         Code = "conflicto"
	EstadoInvalido    Code = "estado_invalido"
	LimiteExcedido    Code = "limite_excedido"
	Interno           Code = "interno"
)

// Reasons (detalle.motivo) that more than one package names.
const (
	SoloLectura          = "solo_lectura"
	Alcance              = "alcance"
	Admin                = "admin"
	Nunca                = "nunca"
	AprobacionDenegada   = "aprobacion_denegada"
	AprobacionExpirada   = "aprobacion_expirada"
	Revocado             = "revocado"
	CredencialInvalida   = "credencial_invalida"
	Plataforma           = "plataforma"
	ResultadoDesconocido = "resultado_desconocido"
	AgenteTimeout        = "agente_timeout" // resultado_desconocido of a command
	Cancelada            = "cancelada"
)

// Sentence is a text for a person: an English format and its arguments, which may
// be sentences themselves.
type Sentence struct {
	Format string
	Args   []any
}

// String says the sentence in English.
func (s Sentence) String() string {
	if len(s.Args) == 0 {
		return s.Format
	}
	return fmt.Sprintf(s.Format, s.Args...)
}

// Problem is an error with a code, a sentence on what happened and one on what to do.
type Problem struct {
	Code Code
	What Sentence
	Do   Sentence
	// Retryable: the same call, unchanged, may work.
	Retryable bool
	// RetryAfter is how long to wait before a repeat; 0 where waiting does not help.
	RetryAfter time.Duration
	// Detail is detalle on the wire.
	Detail map[string]any
	// Fields are the sentences of detalle.fields, by the path of the argument.
	Fields map[string]Sentence
	// Upstream is the HTTP status of the platform's answer; 0 where there was none.
	Upstream int

	cause error
}

// New makes a problem; what is its que_paso. Retryable follows the code's
// default in contract §5.
func New(code Code, what string, args ...any) *Problem {
	return &Problem{
		Code:      code,
		What:      Sentence{what, args},
		Retryable: code == EstadoInvalido || code == LimiteExcedido || code == Interno,
		Detail:    map[string]any{},
	}
}

// ToDo sets que_hacer and returns p.
func (p *Problem) ToDo(format string, args ...any) *Problem {
	p.Do = Sentence{format, args}
	return p
}

// With sets one key of detalle and returns p.
func (p *Problem) With(key string, value any) *Problem {
	p.Detail[key] = value
	return p
}

// Field says what is wrong with one argument, in detalle.fields, and returns p.
func (p *Problem) Field(path string, what Sentence) *Problem {
	fields, ok := p.Detail["fields"].(map[string]string)
	if !ok {
		fields = map[string]string{}
		p.Detail["fields"], p.Fields = fields, map[string]Sentence{}
	}
	fields[path], p.Fields[path] = what.String(), what
	return p
}

// Because sets detalle.motivo and returns p.
func (p *Problem) Because(reason string) *Problem { return p.With("motivo", reason) }

// Reason is detalle.motivo, or "".
func (p *Problem) Reason() string {
	reason, _ := p.Detail["motivo"].(string)
	return reason
}

// Unknown reports whether the effect of what failed is not known.
func (p *Problem) Unknown() bool {
	return p.Reason() == ResultadoDesconocido || p.Reason() == AgenteTimeout
}

// After sets how long the caller should wait and returns p.
func (p *Problem) After(d time.Duration) *Problem {
	p.RetryAfter = d
	return p
}

// NotRetryable says that the unchanged call will not work and returns p.
func (p *Problem) NotRetryable() *Problem {
	p.Retryable = false
	return p
}

// From sets the platform's status and returns p.
func (p *Problem) From(status int) *Problem {
	p.Upstream = status
	return p
}

// Wrap sets the cause, which is for logs only, and returns p.
func (p *Problem) Wrap(err error) *Problem {
	p.cause = err
	return p
}

// Error names the code, the English sentence and the cause. It is for logs, never for callers.
func (p *Problem) Error() string {
	if p.cause != nil {
		return fmt.Sprintf("%s: %s: %v", p.Code, p.What, p.cause)
	}
	return fmt.Sprintf("%s: %s", p.Code, p.What)
}

// Unwrap gives the cause.
func (p *Problem) Unwrap() error { return p.cause }

// As finds the Problem in err. An error that is none becomes Interno with err as its cause.
func As(err error) *Problem {
	if err == nil {
		return nil
	}
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	return New(Interno, "Something unexpected happened on our side.").
		ToDo("Repeat the call once. If it fails again, report the correlacion_id to the operator.").
		Wrap(err)
}

// Is reports whether err is a Problem with this code.
func Is(err error, code Code) bool {
	p, ok := errors.AsType[*Problem](err)
	return ok && p.Code == code
}
