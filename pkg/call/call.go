// Package call owns one tool call on its way from the door to the platform and
// back: the Call itself, and the Stage that each of audit, quota, guard,
// idempotency and approval is. It knows none of them.
package call

import (
	"context"
	"time"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/identity"
	operationv1 "github.com/comporta-mcp/comporta/proto/operation/v1"
)

// Call is one tool call. Stages may fill in what is theirs (see Trace); nobody
// changes Args once the call was made, since idempotency compares them.
type Call struct {
	ID        string // ULID: its id in the audit, and the correlacion_id of its problems
	At        time.Time
	Area      string
	Profile   string // "" for the whole area
	Address   string // the client's network address
	Tool      *catalog.Tool
	Principal *identity.Principal
	// Company is the one the call acts in; chosen before the first stage runs.
	Company identity.Company
	// Args are the checked arguments without the common ones. Numbers are json.Number.
	Args map[string]any
	Common
	// Reserved is the operation id to use, when an idempotency record already names
	// one; "" otherwise.
	Reserved string
	// Journal remembers the call's write over a crash; nil for a call without a key.
	Journal Journal
	Trace   Trace
}

// Journal is the durable memory of one write; package once says its duties.
type Journal interface {
	Step() *operationv1.Step
	Record(ctx context.Context, step *operationv1.Step) error
}

// Common is the arguments that every tool of a sort has (contract §5); they
// never reach the platform.
type Common struct {
	DryRun         bool
	IdempotencyKey string
	Confirmed      bool          // confirmado
	Confirmation   string        // confirmacion
	Wait           time.Duration // esperar_segundos
}

// Trace is what the stages learn about a call, for the audit and the metrics.
type Trace struct {
	Upstream    int    // HTTP status of the platform's answer; 0: not asked
	OperationID string // the operation that the call began or asked about
	Repeat      bool   // the answer is that of an earlier call
	Approval    string // who approved it
	// Derived is what the tool made of its arguments and acted on, where that is
	// more than they say: a query that a language model wrote.
	Derived map[string]any
}

// Answer is what a tool gives back when nothing went wrong.
type Answer struct {
	// Value is the object that becomes structuredContent. Numbers are json.Number
	// or Go integers, so that every digit is kept.
	Value map[string]any
	// Text replaces the JSON text in content[0], for guides; "" otherwise.
	Text string
	// Ask is set where the person must open a page before there is more to say, and
	// the client said that it can show it to them.
	Ask *Ask
}

// Ask is a page for the person, and what the client brings back from it.
type Ask struct{ URL, State string }

// Handler carries a call out. The error, if any, is or becomes a problem.Problem.
type Handler func(ctx context.Context, c *Call) (*Answer, error)

// Stage wraps a handler with one concern.
type Stage func(next Handler) Handler

// Chain puts h behind the stages: the first one named sees the call first.
func Chain(h Handler, stages ...Stage) Handler {
	for i := len(stages) - 1; i >= 0; i-- {
		h = stages[i](h)
	}
	return h
}
